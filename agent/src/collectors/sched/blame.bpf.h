#pragma once

/*
 * Cuts a wait into the runs that it waited for and charges each to (waiter, runner). What
 * is charged and what is not adds up to the wait, to the ns, whatever the clocks say.
 */
#include "collectors/sched/checkpoints.bpf.h"
#include "collectors/sched/events.bpf.h"

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
	__u32 cpu;	/* whose cells are charged */
	__u32 lane_cpu; /* whose lane it is */
	__u32 waiter;
	__u32 now, span; /* ticks: only chunks that ran within the span before now count */
	__u32 fraction;	 /* of older..newer, in FRACTION_BITS; 0 = what lies before is in the log */
};

/* One run a call; whole ticks, the last of them takes what these leave over. */
static long walk_log(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 entry = self->lane->log[(walk->position - 1) % SCHED_LOG_ENTRIES];
	const __u64 began = entry >> SCHED_SLOT_BITS;
	const bool is_last = began <= self->from_tick;
	__u64 ns = walk->remaining;

	if (!is_last)
		ns = (walk->top_tick - began) << SCHED_TICK_SHIFT;
	walk->remaining -= ns;
	walk->lost += charge_run(self->cpu, self->waiter, entry & (SCHED_MAX_SLOTS - 1), ns);
	walk->top_tick = began;
	walk->position--;
	return is_last;
}

/* Eight slots, and their clocks at both sides of the bracket. */
struct eight {
	const __u32 *clocks, *newer, *older;
	__u32 fraction;
	__u32 chunk;
};

/* The next of the recency list, if these ran in the span. */
static __always_inline bool next_chunk(const struct blame *self, struct eight *ret)
{
	const __u32 chunk = self->lane->walk.chunk & (n_slots / SCHED_CHUNK - 1);
	const struct sched_chunk *slots = chunk_in(self->lane, chunk);

	if (self->now - slots->ran_until >= self->span)
		return false;
	self->lane->walk.chunk = slots->next;
	ret->clocks = slots->clocks;
	ret->newer = self->newer + chunk * SCHED_CHUNK;
	ret->older = self->older + chunk * SCHED_CHUNK;
	ret->fraction = self->fraction;
	ret->chunk = chunk;
	/* Else clang computes the address of each of the eight, and keeps all of them. */
	barrier_var(ret->clocks);
	barrier_var(ret->newer);
	barrier_var(ret->older);
	return true;
}

/* What one of them ran since the newer checkpoint, and its part of what was run before that. */
static __always_inline __u64 share_of(const struct eight *eight, __u32 at)
{
	const __u32 newer = eight->newer[at];

	return ((__u64)(eight->clocks[at] - newer) << SCHED_TICK_SHIFT) +
	       ((__u64)(newer - eight->older[at]) * eight->fraction >>
		(FRACTION_BITS - SCHED_TICK_SHIFT));
}

/*
 * What they ran since the newer checkpoint. No branches: most of the eight will have run.
 * No sum: all of it is what the clock of the wall ran.
 */
static long charge_chunk(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_block *block;
	struct eight eight;

	if (!next_chunk(self, &eight))
		return 1;
	block = block_of(self->cpu, self->waiter, eight.chunk);
	if (!block) {
		for (__u32 i = 0; i < SCHED_CHUNK; i++)
			self->lane->walk.lost += (__u64)(eight.clocks[i] - eight.newer[i])
						 << SCHED_TICK_SHIFT;
		return 0;
	}
#pragma unroll
	for (__u32 i = 0; i < SCHED_CHUNK; i++)
		block->wait_ns[i] += (__u64)(eight.clocks[i] - eight.newer[i]) << SCHED_TICK_SHIFT;
	return 0;
}

/* And their part of what was run between older and newer. */
static long charge_chunk_between(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_block *block;
	struct eight eight;
	__u64 sum = 0;

	if (!next_chunk(self, &eight))
		return 1;
	block = block_of(self->cpu, self->waiter, eight.chunk);
#pragma unroll
	for (__u32 i = 0; i < SCHED_CHUNK; i++) {
		const __u64 ns = share_of(&eight, i);

		if (block)
			block->wait_ns[i] += ns;
		sum += ns;
		barrier_var(sum); /* or clang keeps all eight until the end */
	}
	self->lane->walk.remaining -= sum;
	if (!block)
		self->lane->walk.lost += sum;
	return 0;
}

/* The same for an event. */
static long tell_chunk(__u32 step, void *context)
{
	const struct blame *self = context;
	struct eight eight;

	if (!next_chunk(self, &eight))
		return 1;
	for (__u32 i = 0; i < SCHED_CHUNK; i++)
		add_share(self->cpu, eight.chunk * SCHED_CHUNK + i, share_of(&eight, i));
	return 0;
}

static long tell_run(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 entry = self->lane->log[(walk->position - 1) % SCHED_LOG_ENTRIES];
	const __u64 began = entry >> SCHED_SLOT_BITS;
	const bool is_last = began <= self->from_tick;

	add_share(self->cpu, entry & (SCHED_MAX_SLOTS - 1),
		  (walk->top_tick - (is_last ? self->from_tick : began)) << SCHED_TICK_SHIFT);
	walk->top_tick = began;
	walk->position--;
	return is_last;
}

/* Rounded up, so that whole ticks never exceed the wait; what the timeline has. */
static __always_inline __u64 tick_in(const struct sched_cpu *state, __u64 from)
{
	const __u64 now = state->logged_until >> SCHED_TICK_SHIFT;
	__u64 tick = (from + (1 << SCHED_TICK_SHIFT) - 1) >> SCHED_TICK_SHIFT;

	if (tick < state->began_tick)
		tick = state->began_tick;
	if (tick + SCHED_LOOK_BACK_TICK < now)
		tick = now - SCHED_LOOK_BACK_TICK;
	return tick;
}

static __always_inline void begin_walk(struct sched_lane *lane)
{
	lane->walk.position = lane->state.position;
	lane->walk.top_tick = lane->state.folded_tick;
	lane->walk.chunk = lane->state.newest_chunk;
}

/*
 * Who ran since a checkpoint is in the difference of two clocks, however long ago. The rest
 * down to the wait's begin is a part of what was run between two checkpoints, where these
 * are close enough, and else in the log, if that reaches: it is exact, and matters where a
 * bracket is long, for the waiter itself often ran right before it began to wait.
 */
static __always_inline bool open_bracket(struct blame *self, __u32 lane_cpu)
{
	const struct sched_cpu *state = &self->lane->state;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 span = walk->top_tick - self->from_tick;
	__u64 width;

	find_bracket(self->lane, lane_cpu, self->from_tick);
	self->newer = copy_at(lane_cpu, walk->newer);
	width = walk->newer_tick - walk->older_tick;
	if (!self->newer || !width || walk->newer_tick < self->from_tick)
		return false;
	self->now = (__u32)walk->top_tick;
	self->older = self->newer;
	if (walk->older >= SCHED_RECENT &&
	    (width <= span / FINE_BRACKET ||
	     walk->older_position + SCHED_LOG_ENTRIES <= state->position + 1)) {
		self->older = copy_at(lane_cpu, walk->older);
		if (!self->older)
			return false;
		self->span = (__u32)(walk->top_tick - walk->older_tick);
		self->fraction =
			(__u32)(((walk->newer_tick - self->from_tick) << FRACTION_BITS) / width);
		return true;
	}
	self->span = (__u32)(walk->top_tick - walk->newer_tick);
	walk->top_tick = walk->newer_tick;
	return true;
}

/* Who a wait of `cpu`'s event draft was for. */
__noinline int tell_shares(__u32 lane_cpu, __u32 cpu, __u64 from)
{
	struct blame blame = {.lane = lane_of(lane_cpu), .cpu = cpu};

	if (!blame.lane)
		return 0;
	fold_newest(blame.lane);
	begin_walk(blame.lane);
	blame.from_tick = tick_in(&blame.lane->state, from);
	if (blame.from_tick < blame.lane->state.recent_tick) {
		if (!open_bracket(&blame, lane_cpu))
			return 0;
		LOOP(n_slots / SCHED_CHUNK, tell_chunk, &blame);
	}
	if (!blame.fraction)
		LOOP(SCHED_LOG_ENTRIES, tell_run, &blame);
	return 0;
}

/*
 * Charges `ns` that a task of `waiter` waited on a CPU, the lane, from rq clock `from` up to
 * the end of its timeline; the cells are those of `cpu`. Returns how much of it is nobody's.
 */
__noinline __u64 blame_wait(__u32 lane_cpu, __u32 cpu, __u32 waiter, __u64 from, __u64 ns)
{
	struct blame blame = {.lane = lane_of(lane_cpu), .cpu = cpu, .waiter = waiter};
	struct sched_cpu *state;
	struct sched_walk *walk;
	__u64 before = 0;

	if (!blame.lane)
		return ns;
	state = &blame.lane->state;
	walk = &blame.lane->walk;
	fold_newest(blame.lane);
	begin_walk(blame.lane);
	blame.from_tick = tick_in(state, from);
	if (blame.from_tick << SCHED_TICK_SHIFT >= from + (1 << SCHED_TICK_SHIFT))
		before = (blame.from_tick << SCHED_TICK_SHIFT) - from;
	if (before > ns)
		before = ns;
	walk->remaining = ns - before;
	walk->lost = 0;
	if (blame.from_tick < state->recent_tick) {
		if (!open_bracket(&blame, lane_cpu))
			return ns;
		if (blame.fraction) {
			state->charges += SCHED_CHUNK *
					  LOOP(n_slots / SCHED_CHUNK, charge_chunk_between, &blame);
			/* What rounding leaves is the newest run's: a few ns. */
			return before + walk->lost +
			       charge_run(cpu, waiter, state->newest, walk->remaining);
		}
		walk->remaining -= (state->folded_tick - walk->newer_tick) << SCHED_TICK_SHIFT;
		state->charges += SCHED_CHUNK * LOOP(n_slots / SCHED_CHUNK, charge_chunk, &blame);
	}
	state->charges += LOOP(SCHED_LOG_ENTRIES, walk_log, &blame);
	return before + walk->remaining + walk->lost;
}
