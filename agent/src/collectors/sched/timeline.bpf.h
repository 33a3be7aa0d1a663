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
	return (struct sched_chunk *)(lane + 1) + (chunk & (n_slots / SCHED_CHUNK - 1));
}

static __always_inline void move_to_front(struct sched_lane *lane, __u32 chunk)
{
	struct sched_cpu *state = &lane->state;
	struct sched_chunk *moved = chunk_in(lane, chunk);
	struct sched_chunk *head = chunk_in(lane, state->newest_chunk);

	chunk_in(lane, moved->prev)->next = moved->next;
	chunk_in(lane, moved->next)->prev = moved->prev;
	moved->next = (__u16)state->newest_chunk;
	moved->prev = head->prev;
	chunk_in(lane, head->prev)->next = (__u16)chunk;
	head->prev = (__u16)chunk;
	state->newest_chunk = chunk;
	if (chunk >= state->used_chunks)
		state->used_chunks = chunk + 1;
}

/* The newest run is in its slot's clock only from here on, up to the timeline's end. */
static __always_inline void fold_newest(struct sched_lane *lane)
{
	struct sched_cpu *state = &lane->state;
	const __u64 tick = state->logged_until >> SCHED_TICK_SHIFT;
	struct sched_chunk *chunk = chunk_in(lane, state->newest / SCHED_CHUNK);

	chunk->clocks[state->newest % SCHED_CHUNK] += (__u32)(tick - state->folded_tick);
	chunk->ran_until = (__u32)tick;
	state->folded_tick = tick;
}

static __always_inline void begin_run(struct sched_lane *lane, __u32 slot)
{
	struct sched_cpu *state = &lane->state;
	const __u64 tick = state->logged_until >> SCHED_TICK_SHIFT;

	state->newest = slot;
	state->newest_began_tick = tick;
	lane->log[state->position % SCHED_LOG_ENTRIES] = tick << SCHED_SLOT_BITS | slot;
	state->position++;
	if (slot / SCHED_CHUNK != state->newest_chunk)
		move_to_front(lane, slot / SCHED_CHUNK);
}

static __always_inline void log_run(struct sched_lane *lane, __u32 slot, __u64 until)
{
	struct sched_cpu *state = &lane->state;

	if (slot != state->newest) {
		fold_newest(lane);
		begin_run(lane, slot);
	}
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
	state->folded_tick = tick;
	state->levelled_tick = tick;
	state->used_chunks = 1;
	state->n_recent = 1;
	state->recent_tick = tick - 1;
	state->recent_position = 1;
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
