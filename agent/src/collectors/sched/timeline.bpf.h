#pragma once

/*
 * Who ran when on this CPU, kept so that any wait of the last 30 s can be cut into the runs
 * it waited for: a log of the newest runs, and a clock per slot of how long it ran in all,
 * which checkpoints remember (checkpoints.bpf.h).
 */
#include "collectors/sched/records.bpf.h"

/* The mask as the verifier's bound: slot numbers come from a map that user space can write. */
static __always_inline struct sched_chunk *chunk_in(struct sched_lane *lane, __u32 chunk)
{
	return &lane->chunks[chunk % (SCHED_MAX_SLOTS / SCHED_CHUNK)];
}

/*
 * For the two that write to a lane without being its CPU's switch: a read, which is on that
 * CPU, and a migration, which holds its run queue.
 */
static __always_inline bool begin_lane(struct sched_lane *lane)
{
	return !__sync_lock_test_and_set(&lane->state.is_busy, 1);
}

static __always_inline void end_lane(struct sched_lane *lane)
{
	__sync_lock_test_and_set(&lane->state.is_busy, 0);
}

#define LANE_TRIES 4096

static __always_inline __u64 log_entry(const struct sched_lane *lane, __u64 position)
{
	return lane->log[position % SCHED_LOG_ENTRIES];
}

static __always_inline __u64 began_tick(__u64 entry)
{
	return entry >> SCHED_SLOT_BITS;
}

static __always_inline __u32 runner_of(__u64 entry)
{
	return entry & (SCHED_MAX_SLOTS - 1);
}

/* The timeline's end, to the tick. */
static __always_inline __u64 end_tick(const struct sched_cpu *state)
{
	return state->logged_until >> SCHED_TICK_SHIFT;
}

static __always_inline void begin_run(struct sched_lane *lane, __u32 slot)
{
	struct sched_cpu *state = &lane->state;
	const __u32 at = state->position % SCHED_LOG_ENTRIES;
	const __u64 tick = end_tick(state);

	state->newest = slot;
	state->newest_began_tick = tick;
	lane->log[at] = tick << SCHED_SLOT_BITS | slot;
	lane->begins[at] = 0;
	state->position++;
}

static __always_inline void log_run(struct sched_lane *lane, __u32 slot, __u64 until)
{
	struct sched_cpu *state = &lane->state;

	if (slot != state->newest || state->noted_position == state->position)
		begin_run(lane, slot);
	state->logged_until = until;
}

/*
 * The first switch seen on a CPU ends a run of unknown beginning. Nobody had run a tick
 * before: a checkpoint that needs no copy.
 */
static __always_inline void begin_timeline(struct sched_lane *lane, __u64 now)
{
	struct sched_cpu *state = &lane->state;
	const __u64 tick = now >> SCHED_TICK_SHIFT;

	state->logged_until = now;
	state->began_tick = tick;
	state->swept_tick = tick;
	state->levelled_tick = tick;
	state->used_chunks = 1;
	state->n_recent = 1;
	lane->recent_ticks[0] = tick - 1;
	lane->recent_positions[0] = 1;
	begin_run(lane, SLOT_OVERFLOW);
}

/*
 * `arrived` is the kernel's own stamp of when prev got the CPU. Where a switch raised no
 * event, it is later than the end of our log.
 */
static __always_inline bool came_unseen(const struct sched_cpu *state, __u64 arrived, __u64 now)
{
	return arrived > state->logged_until && arrived < now && state->position;
}

static __always_inline void extend_timeline(struct sched_lane *lane, __u32 prev_slot, __u64 now)
{
	if (!lane->state.position)
		begin_timeline(lane, now);
	else if (now > lane->state.logged_until)
		log_run(lane, prev_slot, now);
}
