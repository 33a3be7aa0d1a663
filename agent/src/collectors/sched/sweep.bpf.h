#pragma once

/*
 * Charges waits, all of them at once and long after: a wait that ends is only noted, with
 * the run that it began with and the one that it ended before. Later the log is swept, in
 * order: at every run it is known how many tasks of which cgroup waited, and each is charged
 * the length of the run. That is work in proportion to the cgroups that wait, and not to
 * them times the runs that each wait lasted.
 */
#include "collectors/sched/checkpoints.bpf.h"

/*
 * The wait ended with the timeline. It began with the run at `first`, of which it is charged
 * `first_ns`, and was for all runs after that.
 */
static __always_inline void note_wait(struct sched_lane *lane, __u32 waiter, __u64 first,
				      __u64 first_ns)
{
	struct sched_cpu *state = &lane->state;
	const __u32 at = state->n_waits % SCHED_WAITS;
	const __u32 run = first % SCHED_LOG_ENTRIES;

	lane->waits[at].first_ns = first_ns;
	lane->waits[at].until = (__u32)state->position;
	lane->waits[at].slot = (__u16)waiter;
	lane->waits[at].next = lane->begins[run];
	lane->begins[run] = (__u16)(at + 1);
	state->n_waits++;
	state->noted_position = state->position;
}

static __always_inline bool may_note(const struct sched_cpu *state)
{
	return state->n_waits - state->n_swept_waits < SCHED_WAITS;
}

static __always_inline __u16 *waiting_chunk(struct sched_lane *lane, __u32 at)
{
	return &lane->waiting[at % (SCHED_MAX_SLOTS / SCHED_CHUNK)];
}

static __always_inline void begin_wait(struct sched_lane *lane, __u32 slot)
{
	struct sched_cpu *state = &lane->state;
	struct sched_chunk *chunk = chunk_in(lane, slot / SCHED_CHUNK);

	chunk->waiting[slot % SCHED_CHUNK]++;
	if (chunk->n_waiting++)
		return;
	chunk->at = (__u16)state->n_waiting;
	*waiting_chunk(lane, state->n_waiting) = (__u16)(slot / SCHED_CHUNK);
	state->n_waiting++;
}

static __always_inline void end_wait(struct sched_lane *lane, __u32 slot)
{
	struct sched_cpu *state = &lane->state;
	struct sched_chunk *chunk = chunk_in(lane, slot / SCHED_CHUNK);
	__u32 last;

	chunk->waiting[slot % SCHED_CHUNK]--;
	if (--chunk->n_waiting)
		return;
	state->n_waiting--;
	last = *waiting_chunk(lane, state->n_waiting);
	*waiting_chunk(lane, chunk->at) = (__u16)last;
	chunk_in(lane, last)->at = chunk->at;
}

struct sweep {
	struct sched_lane *lane;
	__u32 cpu;
};

/* If the oldest wait ends before the run that is next. */
static __always_inline bool ends_here(const struct sched_lane *lane)
{
	const struct sched_cpu *state = &lane->state;

	return state->n_swept_waits != state->n_waits &&
	       lane->waits[state->n_swept_waits % SCHED_WAITS].until ==
		       (__u32)state->swept_position;
}

static __always_inline void end_oldest(struct sched_lane *lane)
{
	end_wait(lane, lane->waits[lane->state.n_swept_waits % SCHED_WAITS].slot);
	lane->state.n_swept_waits++;
}

static long sweep_end(__u32 step, void *context)
{
	const struct sweep *self = context;

	if (!ends_here(self->lane))
		return 1;
	end_oldest(self->lane);
	return 0;
}

/* One of the waits that begin with the run. */
static __always_inline void begin_listed(const struct sweep *self)
{
	struct sched_walk *walk = &self->lane->walk;
	const struct sched_wait *wait = &self->lane->waits[(walk->wait - 1) % SCHED_WAITS];
	const __u32 slot = wait->slot;
	const __u64 lost_ns = charge_run(self->lane, self->cpu, slot, walk->runner, wait->first_ns);
	struct sched_record *record;

	if (lost_ns) {
		record = record_of(self->cpu, slot);
		if (record)
			record->unattributed_wait_ns += lost_ns;
	}
	begin_wait(self->lane, slot);
	walk->wait = wait->next;
}

static long sweep_begin(__u32 step, void *context)
{
	const struct sweep *self = context;

	if (!self->lane->walk.wait)
		return 1;
	begin_listed(self);
	return 0;
}

/* What eight slots have waited for a run without a cell is nobody's. */
static long lose_wait(__u32 step, void *context)
{
	const struct sweep *self = context;
	const struct sched_walk *walk = &self->lane->walk;
	const struct sched_chunk *chunk = chunk_in(self->lane, walk->chunk);
	struct sched_record *record =
		record_of(self->cpu, walk->chunk * SCHED_CHUNK + step % SCHED_CHUNK);

	if (record)
		record->unattributed_wait_ns += chunk->waiting[step % SCHED_CHUNK] * walk->run_ns;
	return 0;
}

/* The eight at this place among those that wait. */
static __always_inline void charge_eight(const struct sweep *self, __u32 place)
{
	struct sched_walk *walk = &self->lane->walk;
	const __u32 at = *waiting_chunk(self->lane, place);
	const struct sched_chunk *chunk = chunk_in(self->lane, at);
	struct sched_block *block = block_of(self->lane, self->cpu, walk->runner, at);
	const __u64 run_ns = walk->run_ns;

	if (!block) {
		walk->chunk = at;
		LOOP(SCHED_CHUNK, lose_wait, (void *)self);
		return;
	}
#pragma unroll
	for (__u32 i = 0; i < SCHED_CHUNK; i++)
		block->wait_ns[i] += chunk->waiting[i] * run_ns;
}

static long charge_waiting(__u32 step, void *context)
{
	charge_eight(context, step + 2);
	return 0;
}

/* Mostly few wait, and a call takes as long as a charge. */
static __always_inline void charge_all(const struct sweep *self)
{
	const __u32 n_waiting = self->lane->state.n_waiting;

	if (n_waiting > 0)
		charge_eight(self, 0);
	if (n_waiting > 1)
		charge_eight(self, 1);
	if (n_waiting > 2)
		LOOP(n_waiting - 2, charge_waiting, (void *)self);
	self->lane->state.charges += n_waiting;
}

static __always_inline __u64 ends_at(const struct sched_lane *lane, __u64 position)
{
	if (position == lane->state.position)
		return end_tick(&lane->state);
	return began_tick(log_entry(lane, position));
}

static __always_inline void count_ran(struct sched_lane *lane, __u32 cpu, __u32 runner, __u64 ticks,
				      __u64 end)
{
	struct sched_chunk *chunk = chunk_in(lane, runner / SCHED_CHUNK);
	struct sched_record *record = record_of(cpu, runner);

	if (record)
		record->ran_ns += ticks << SCHED_TICK_SHIFT;

	chunk->clocks[runner % SCHED_CHUNK] += (__u32)ticks;
	chunk->ran_until = (__u32)end;
	if (runner / SCHED_CHUNK >= lane->state.used_chunks)
		lane->state.used_chunks = runner / SCHED_CHUNK + 1;
}

static long sweep_run(__u32 step, void *context)
{
	const struct sweep *self = context;
	struct sched_lane *lane = self->lane;
	struct sched_cpu *state = &lane->state;
	struct sched_walk *walk = &lane->walk;
	const __u64 position = state->swept_position, entry = log_entry(lane, position);
	__u64 end, ticks;

	if (position == state->position)
		return 1;
	if (ends_here(lane)) {
		end_oldest(lane); /* nearly always the only one */
		if (ends_here(lane))
			LOOP(SCHED_WAITS, sweep_end, context);
	}
	end = ends_at(lane, position + 1);
	ticks = end - began_tick(entry);
	count_ran(lane, self->cpu, runner_of(entry), ticks, end);
	walk->runner = runner_of(entry);
	walk->run_ns = ticks << SCHED_TICK_SHIFT;
	charge_all(context);
	walk->wait = lane->begins[position % SCHED_LOG_ENTRIES];
	if (walk->wait) {
		begin_listed(context);
		if (walk->wait)
			LOOP(SCHED_WAITS, sweep_begin, context);
	}
	state->swept_tick = end;
	state->swept_position++;
	return 0;
}

/* The oldest so many runs that are not swept yet. */
__noinline int sweep(__u32 cpu, __u32 n_runs)
{
	struct sweep sweep = {.lane = lane_of(cpu), .cpu = cpu};
	struct sched_cpu *state;

	if (!sweep.lane || sweep.lane->state.swept_position == sweep.lane->state.position)
		return 0;
	LOOP(n_runs, sweep_run, &sweep);
	take_checkpoint(sweep.lane, cpu);
	state = &sweep.lane->state;
	if (state->swept_position ==
	    state->position) /* the newest: what runs on is another entry */
		state->noted_position = state->position;
	return 0;
}

static __always_inline bool sweep_is_due(const struct sched_cpu *state)
{
	return state->position - state->swept_position >= SCHED_UNSWEPT_RUNS + SCHED_SWEEP_RUNS ||
	       state->n_waits - state->n_swept_waits >= SCHED_WAITS - SCHED_SWEEP_RUNS;
}
