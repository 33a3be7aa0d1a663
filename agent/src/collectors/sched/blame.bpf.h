#pragma once

/*
 * Who a wait was for. What is charged, noted and nobody's adds up to the wait, to the ns,
 * whatever the clocks say.
 */
#include "collectors/sched/events.bpf.h"
#include "collectors/sched/sweep.bpf.h"

#define FRACTION_BITS 24
#define FINE_BRACKET  8 /* checkpoints this many times nearer to each other than the wait is long */

/*
 * What stays the same on the way. What changes is in a map (sched_walk) and not on the stack:
 * there the verifier would follow every number through every step, and never end.
 */
struct blame {
	struct sched_lane *lane;
	const __u32 *newer, *older;
	__u64 from_tick;
	__u32 cpu;    /* whose lane and cells */
	__u32 teller; /* whose event draft */
	__u32 waiter;
	__u32 now, span; /* ticks: only chunks that ran within the span before now count */
	__u32 fraction;	 /* of older..newer, in FRACTION_BITS, that lies in the wait */
	bool is_logged;	 /* what lies before newer is in the log instead */
};

/* One run a call; whole ticks, the last of them takes what these leave over. */
static long walk_log(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 entry = log_entry(self->lane, walk->position - 1), began = began_tick(entry);
	const bool is_last = began <= self->from_tick;
	__u64 ns = walk->remaining;

	if (!is_last)
		ns = (walk->top_tick - began) << SCHED_TICK_SHIFT;
	walk->remaining -= ns;
	walk->lost += charge_run(self->lane, self->cpu, self->waiter, runner_of(entry), ns);
	walk->top_tick = began;
	walk->position--;
	return is_last;
}

/* What a slot ran since the newer checkpoint, and its part of what was run before that. */
static __always_inline __u64 share_of(const struct blame *self, __u32 chunk, __u32 at)
{
	__u32 slot = chunk * SCHED_CHUNK + at, newer;

	barrier_var(slot); /* Linux 6.1 forgets the bounds of the OR that clang makes of the sum */
	slot &= n_slots - 1;
	newer = self->newer[slot];
	return ((__u64)(chunk_in(self->lane, chunk)->clocks[at] - newer) << SCHED_TICK_SHIFT) +
	       ((__u64)(newer - self->older[slot]) * self->fraction >>
		(FRACTION_BITS - SCHED_TICK_SHIFT));
}

static long charge_slot(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u32 chunk = walk->chunk & (n_slots / SCHED_CHUNK - 1), at = step % SCHED_CHUNK;
	const __u64 ns = share_of(self, chunk, at);

	if (!ns)
		return 0;
	walk->remaining -= ns;
	walk->lost += charge_run(self->lane, self->cpu, self->waiter, chunk * SCHED_CHUNK + at, ns);
	return 0;
}

static long tell_slot(__u32 step, void *context)
{
	const struct blame *self = context;
	const __u32 chunk = self->lane->walk.chunk & (n_slots / SCHED_CHUNK - 1);
	const __u32 at = step % SCHED_CHUNK;

	add_share(self->teller, chunk * SCHED_CHUNK + at, share_of(self, chunk, at));
	return 0;
}

static __always_inline bool ran_in_span(const struct blame *self, __u32 chunk)
{
	self->lane->walk.chunk = chunk;
	return self->now - chunk_in(self->lane, chunk)->ran_until < self->span;
}

static long charge_chunk(__u32 step, void *context)
{
	if (ran_in_span(context, step))
		LOOP(SCHED_CHUNK, charge_slot, context);
	return 0;
}

/* The same for an event. */
static long tell_chunk(__u32 step, void *context)
{
	if (ran_in_span(context, step))
		LOOP(SCHED_CHUNK, tell_slot, context);
	return 0;
}

static long tell_run(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 entry = log_entry(self->lane, walk->position - 1), began = began_tick(entry);
	const bool is_last = began <= self->from_tick;

	add_share(self->teller, runner_of(entry),
		  (walk->top_tick - (is_last ? self->from_tick : began)) << SCHED_TICK_SHIFT);
	walk->top_tick = began;
	walk->position--;
	return is_last;
}

/* Rounded up, so that whole ticks never exceed the wait; what the timeline has. */
static __always_inline __u64 tick_in(const struct sched_cpu *state, __u64 from)
{
	const __u64 now = end_tick(state);
	__u64 tick = (from + (1 << SCHED_TICK_SHIFT) - 1) >> SCHED_TICK_SHIFT;

	if (tick < state->began_tick)
		tick = state->began_tick;
	if (tick + SCHED_LOOK_BACK_TICK < now)
		tick = now - SCHED_LOOK_BACK_TICK;
	return tick;
}

/*
 * Who ran since a checkpoint is in the difference of two clocks, however long ago. The rest
 * down to the wait's begin is a part of what was run between two checkpoints, where these
 * are close enough, and else in the log, if that reaches: it is exact, and matters where a
 * bracket is long, for the waiter itself often ran right before it began to wait.
 */
static __always_inline bool open_bracket(struct blame *self)
{
	const struct sched_cpu *state = &self->lane->state;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 span = state->swept_tick - self->from_tick;
	__u64 width;

	find_bracket(self->lane, self->cpu, self->from_tick);
	self->newer = copy_at(self->cpu, walk->newer);
	width = walk->newer_tick - walk->older_tick;
	if (!self->newer || !width || walk->newer_tick < self->from_tick)
		return false;
	self->now = (__u32)state->swept_tick;
	self->older = self->newer;
	if (walk->older_position + SCHED_LOG_ENTRIES <= state->position + 1 ||
	    (walk->older >= SCHED_RECENT && width <= span / FINE_BRACKET)) {
		self->older = copy_at(self->cpu, walk->older);
		if (!self->older)
			return false;
		self->span = (__u32)(state->swept_tick - walk->older_tick);
		self->fraction =
			(__u32)(((walk->newer_tick - self->from_tick) << FRACTION_BITS) / width);
		return true;
	}
	self->span = (__u32)(state->swept_tick - walk->newer_tick);
	self->is_logged = true;
	walk->top_tick = walk->newer_tick;
	return true;
}

/* Who a wait up to now was for, into the event draft of `teller`. */
__noinline int tell_shares(__u32 cpu, __u32 teller, __u64 from)
{
	struct blame blame = {.lane = lane_of(cpu), .cpu = cpu, .teller = teller};
	struct sched_cpu *state;
	__u64 tick;

	if (!blame.lane)
		return 0;
	state = &blame.lane->state;
	tick = tick_in(state, from);
	blame.lane->walk.position = state->position;
	blame.lane->walk.top_tick = end_tick(state);
	blame.from_tick = tick < state->swept_tick ? state->swept_tick : tick;
	if (state->position != state->swept_position)
		LOOP(SCHED_LOG_ENTRIES, tell_run, &blame);
	if (tick >= state->swept_tick)
		return 0;
	blame.from_tick = tick;
	if (!open_bracket(&blame))
		return 0;
	LOOP(state->used_chunks, tell_chunk, &blame);
	if (blame.is_logged)
		LOOP(SCHED_LOG_ENTRIES, tell_run, &blame);
	return 0;
}

/*
 * Charges `ns` of a wait: from `tick` up to where the log is swept. Returns how much of it
 * is nobody's.
 */
__noinline __u64 blame_swept(__u32 cpu, __u32 waiter, __u64 tick, __u64 ns)
{
	struct blame blame = {
		.lane = lane_of(cpu), .cpu = cpu, .waiter = waiter, .from_tick = tick};
	struct sched_cpu *state;
	struct sched_walk *walk;

	if (!blame.lane)
		return ns;
	state = &blame.lane->state;
	walk = &blame.lane->walk;
	walk->remaining = ns;
	walk->lost = 0;
	if (!open_bracket(&blame))
		return ns;
	state->charges += LOOP(state->used_chunks, charge_chunk, &blame);
	if (blame.is_logged)
		state->charges += LOOP(SCHED_LOG_ENTRIES, walk_log, &blame);
	else /* what rounding leaves: a few ns */
		walk->lost += charge_run(blame.lane, cpu, waiter, state->newest, walk->remaining);
	return walk->lost + (blame.is_logged ? walk->remaining : 0);
}

/* A sum, as branches would be guesses: 1 if the run at a position had begun by then. */
static __always_inline __u64 had_begun(const struct sched_lane *lane, __u64 position, __u64 limit)
{
	return (position - lane->state.position) >> 63 & (log_entry(lane, position) - limit) >> 63;
}

/* The position of the run at a tick, among those that are not swept. */
static __always_inline __u64 run_at(const struct sched_lane *lane, __u64 tick)
{
	const __u64 limit = (tick + 1) << SCHED_SLOT_BITS;
	__u64 position = lane->state.swept_position;

	if (lane->state.position - position > 32 &&
	    had_begun(lane, lane->state.position - 32, limit)) {
		position = lane->state.position - 32;
	} else {
#pragma unroll
		for (__u64 step = SCHED_LOG_ENTRIES / 2; step >= 32; step /= 2)
			position += step & -had_begun(lane, position + step, limit);
	}
#pragma unroll
	for (__u64 step = 16; step; step /= 2)
		position += step & -had_begun(lane, position + step, limit);
	return position;
}

/* All in the newest run is charged now. */
static __always_inline __u64 blame_logged(struct sched_lane *lane, __u32 cpu, __u32 waiter,
					  __u64 tick, __u64 ns)
{
	const struct sched_cpu *state = &lane->state;
	const __u64 position = run_at(lane, tick), next = position + 1;

	if (next >= state->position)
		return charge_run(lane, cpu, waiter, state->newest, ns);
	ns -= (end_tick(state) - began_tick(log_entry(lane, next))) << SCHED_TICK_SHIFT;
	note_wait(lane, waiter, position, ns);
	return 0;
}

/*
 * Charges `ns` that a task of `waiter` waited on a CPU from rq clock `from` up to the end of
 * its timeline, now or later. Returns how much of it is nobody's.
 */
__noinline __u64 blame_wait(__u32 cpu, __u32 waiter, __u64 from, __u64 ns)
{
	struct sched_lane *lane = lane_of(cpu);
	const struct sched_cpu *state;
	__u64 tick, before = 0, unswept_ns;

	if (!lane || !may_note(&lane->state))
		return ns;
	state = &lane->state;
	tick = tick_in(state, from);
	if (tick << SCHED_TICK_SHIFT >= from + (1 << SCHED_TICK_SHIFT))
		before = (tick << SCHED_TICK_SHIFT) - from;
	if (before > ns)
		before = ns;
	ns -= before;
	if (tick >= state->swept_tick)
		return before + blame_logged(lane, cpu, waiter, tick, ns);
	unswept_ns = (end_tick(state) - state->swept_tick) << SCHED_TICK_SHIFT;
	if (unswept_ns)
		note_wait(lane, waiter, state->swept_position,
			  (ends_at(lane, state->swept_position + 1) - state->swept_tick)
				  << SCHED_TICK_SHIFT);
	return before + blame_swept(cpu, waiter, tick, ns - unswept_ns);
}

/* The same for most waits, of which nothing is swept yet, without the call. */
static __always_inline __u64 note_or_blame(struct sched_lane *lane, __u32 cpu, __u32 waiter,
					   __u64 from, __u64 ns)
{
	const __u64 tick = (from + (1 << SCHED_TICK_SHIFT) - 1) >> SCHED_TICK_SHIFT;

	if (tick >= lane->state.swept_tick && may_note(&lane->state) &&
	    tick + SCHED_LOOK_BACK_TICK >= end_tick(&lane->state))
		return blame_logged(lane, cpu, waiter, tick, ns);
	return blame_wait(cpu, waiter, from, ns);
}
