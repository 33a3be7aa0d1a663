#pragma once

/*
 * Who ran when on this CPU, kept so that any wait of the last 30 s can be cut into the runs
 * it waited for: a log of the newest runs, and a clock per slot of how long it ran in all,
 * which checkpoints remember (checkpoints.bpf.h).
 */
#include "collectors/sched/records.bpf.h"

/* Vectors with a cell per slot or chunk; user space sets both sizes before load. */
#define VECTORS(name)                              \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(max_entries, 1);            \
		__uint(key_size, sizeof(__u32));   \
		__uint(value_size, sizeof(__u64)); \
	} name SEC(".maps")

VECTORS(run_clocks); /* per CPU: __u32 by slot, ticks */
VECTORS(run_links);  /* per CPU: struct sched_link by chunk */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct sched_log);
} run_logs SEC(".maps");

/* The masks as the verifier's bounds: slot numbers come from a map that user space can write. */
static __always_inline __u32 *clock_in(__u32 *clocks, __u32 slot)
{
	return &clocks[slot & (n_slots - 1)];
}

static __always_inline struct sched_link *link_in(struct sched_link *links, __u32 chunk)
{
	return &links[chunk & (n_slots / SCHED_CHUNK - 1)];
}

static __always_inline void move_to_front(struct sched_cpu *state, struct sched_link *links,
					  __u32 chunk)
{
	struct sched_link *link = link_in(links, chunk);
	struct sched_link *head = link_in(links, state->newest_chunk);

	link_in(links, link->prev)->next = link->next;
	link_in(links, link->next)->prev = link->prev;
	link->next = (__u16)state->newest_chunk;
	link->prev = head->prev;
	link_in(links, head->prev)->next = (__u16)chunk;
	head->prev = (__u16)chunk;
	state->newest_chunk = chunk;
	if (chunk >= state->used_chunks)
		state->used_chunks = chunk + 1;
}

static __always_inline void log_run(struct sched_cpu *state, __u32 cpu, __u32 slot, __u64 until)
{
	const __u64 tick = until >> SCHED_TICK_SHIFT;
	const __u32 chunk = slot / SCHED_CHUNK;
	struct sched_link *links = bpf_map_lookup_elem(&run_links, &cpu);
	struct sched_log *log = bpf_map_lookup_elem(&run_logs, &cpu);
	__u32 *clocks = bpf_map_lookup_elem(&run_clocks, &cpu);

	if (!links || !log || !clocks)
		return;
	*clock_in(clocks, slot) += (__u32)(tick - (state->logged_until >> SCHED_TICK_SHIFT));
	if (slot != state->newest) {
		state->newest = slot;
		state->position++;
		if (chunk != state->newest_chunk)
			move_to_front(state, links, chunk);
	}
	link_in(links, chunk)->ran_until = (__u32)tick;
	log->entries[(state->position - 1) % SCHED_LOG_ENTRIES] = tick << SCHED_SLOT_BITS | slot;
	state->logged_until = until;
}

/* The first switch seen on a CPU ends a run of unknown beginning. */
static __always_inline void begin_timeline(struct sched_cpu *state, __u32 cpu, __u64 now)
{
	state->logged_until = now;
	state->began_tick = now >> SCHED_TICK_SHIFT;
	state->levelled_tick = state->began_tick;
	state->recent_tick = state->began_tick;
	state->newest = SLOT_OVERFLOW;
	state->used_chunks = 1;
	state->position = 1;
	log_run(state, cpu, SLOT_OVERFLOW, now);
}

/*
 * `arrived` is the kernel's own stamp of when prev got the CPU. Where a switch raised no
 * event, it is later than the end of our log.
 */
static __always_inline bool came_unseen(const struct sched_cpu *state, __u64 arrived, __u64 now)
{
	return arrived > state->logged_until && arrived < now && state->position;
}

static __always_inline void extend_timeline(struct sched_cpu *state, __u32 cpu, __u32 prev_slot,
					    __u64 now)
{
	if (!state->position)
		begin_timeline(state, cpu, now);
	else if (now > state->logged_until)
		log_run(state, cpu, prev_slot, now);
}
