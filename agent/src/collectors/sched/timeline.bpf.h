#pragma once

/*
 * Who ran when on this CPU, kept so that any wait of the last 30 s can be cut into the runs
 * it waited for (blame.bpf.h): a log of the newest runs, a clock per slot of how long it
 * ran in all, and checkpoints, copies of these clocks, which get sparser with age.
 */
#include "collectors/sched/records.bpf.h"

/* A vector with n_slots cells; user space sets both sizes before load. */
#define SLOT_VECTORS(name)                         \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(max_entries, 1);            \
		__uint(key_size, sizeof(__u32));   \
		__uint(value_size, sizeof(__u64)); \
	} name SEC(".maps")

SLOT_VECTORS(run_clocks);	 /* per CPU: __u32, ticks */
SLOT_VECTORS(run_links);	 /* per CPU: struct sched_link */
SLOT_VECTORS(checkpoint_clocks); /* per CPU and checkpoint: __u32, ticks */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_log);
} run_logs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_checkpoints);
} checkpoints SEC(".maps");

/* The mask as the verifier's bound: slot numbers come from a map that user space can write. */
static __always_inline __u32 *clock_in(__u32 *clocks, __u32 slot)
{
	return &clocks[slot & (n_slots - 1)];
}

static __always_inline struct sched_link *link_in(struct sched_link *links, __u32 slot)
{
	return &links[slot & (n_slots - 1)];
}

static __always_inline __u64 *log_entry(struct sched_log *log, __u64 position)
{
	return &log->entries[position % SCHED_LOG_ENTRIES];
}

/* Position of the highest set bit; 0 for 0 and 1. */
static __always_inline __u32 highest_bit(__u64 number)
{
	__u32 bit = 0;

#pragma unroll
	for (__u32 step = 32; step; step /= 2) {
		if (number >> step) {
			number >>= step;
			bit += step;
		}
	}
	return bit;
}

static __always_inline __u32 level_of(__u32 bit)
{
	return bit < SCHED_LEVELS - 1 ? bit : SCHED_LEVELS - 1;
}

/*
 * How often 2 divides it, the top level at most. No instruction counts zeros: a de Bruijn
 * sequence times 2^n has another number for every n in its highest four bits of 16, and a
 * word of sixteen digits turns that into n.
 */
static __always_inline __u32 boundary_level(__u64 boundary)
{
	const __u32 bits = (__u32)boundary | 1 << (SCHED_LEVELS - 1);

	return 0xcd7ea84fb6935210ULL >> ((bits & -bits) * 0x09af >> 12 & 15) * 4 & 15;
}

/* Where the checkpoint of this boundary is kept; in the top level all multiples are. */
static __always_inline __u32 checkpoint_index(__u64 boundary, __u32 level)
{
	const __u32 shift = level < SCHED_LEVELS - 1 ? level + 1 : level;

	__u32 index = (level << SCHED_LEVEL_BITS) +
		      ((__u32)(boundary >> shift) & ((1 << SCHED_LEVEL_BITS) - 1));

	/*
	 * Linux 6.1's verifier forgets the bounds of both sides of an OR, which clang makes of
	 * the sum; it would also drop a mask that changes nothing.
	 */
	asm("%0 &= %1" : "+r"(index) : "i"(SCHED_CHECKPOINTS - 1));
	return index;
}

__noinline int take_checkpoint(__u32 cpu)
{
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct sched_checkpoints *taken = bpf_map_lookup_elem(&checkpoints, &cpu);
	void *clocks = bpf_map_lookup_elem(&run_clocks, &cpu), *copy;
	struct sched_checkpoint *checkpoint;
	__u32 level, index;
	__u64 tick, quantum;

	if (!state || !taken || !clocks)
		return 0;
	tick = state->logged_until >> SCHED_TICK_SHIFT;
	quantum = tick >> SCHED_QUANTUM_SHIFT;
	/* The highest bit that changed is the highest power of two in between. */
	level = level_of(highest_bit(quantum ^ (state->checkpoint_tick >> SCHED_QUANTUM_SHIFT)));
	quantum = quantum >> level << level;
	index = checkpoint_index(quantum, level);
	if (index >= SCHED_CHECKPOINTS)
		return 0;
	checkpoint = &taken->at[index];
	checkpoint->boundary = quantum;
	checkpoint->tick = tick;
	checkpoint->position = state->position;
	state->checkpoint_tick = tick;
	state->checkpoint_position = state->position;
	index += cpu * SCHED_CHECKPOINTS;
	copy = bpf_map_lookup_elem(&checkpoint_clocks, &index);
	if (copy)
		(void)bpf_probe_read_kernel(copy, n_slots * sizeof(__u32), clocks);
	return 0;
}

static __always_inline bool checkpoint_is_due(const struct sched_cpu *state)
{
	const __u64 runs = state->position - state->checkpoint_position;
	const __u64 tick = state->logged_until >> SCHED_TICK_SHIFT;

	if (runs < 2)
		return false;
	if (runs < SCHED_CHECKPOINT_RUNS && tick - state->checkpoint_tick < SCHED_CHECKPOINT_TICKS)
		return false;
	return (tick ^ state->checkpoint_tick) >> SCHED_QUANTUM_SHIFT;
}

static __always_inline void move_to_front(struct sched_cpu *state, struct sched_link *links,
					  __u32 slot)
{
	struct sched_link *link = link_in(links, slot), *head = link_in(links, state->newest);

	link_in(links, link->prev)->next = link->next;
	link_in(links, link->next)->prev = link->prev;
	link->next = (__u16)state->newest;
	link->prev = head->prev;
	link_in(links, head->prev)->next = (__u16)slot;
	head->prev = (__u16)slot;
	state->newest = slot;
}

static __always_inline void log_run(struct sched_cpu *state, __u32 cpu, __u32 slot, __u64 until)
{
	const __u64 tick = until >> SCHED_TICK_SHIFT;
	struct sched_link *links = bpf_map_lookup_elem(&run_links, &cpu);
	struct sched_log *log = bpf_map_lookup_elem(&run_logs, &cpu);
	__u32 *clocks = bpf_map_lookup_elem(&run_clocks, &cpu);

	if (!links || !log || !clocks)
		return;
	*clock_in(clocks, slot) += (__u32)(tick - (state->logged_until >> SCHED_TICK_SHIFT));
	if (slot != state->newest) {
		move_to_front(state, links, slot);
		state->position++;
	}
	link_in(links, slot)->ran_until = (__u32)tick;
	*log_entry(log, state->position - 1) = tick << SCHED_SLOT_BITS | slot;
	state->logged_until = until;
}

/* The first switch seen on a CPU ends a run of unknown beginning. */
static __always_inline void begin_timeline(struct sched_cpu *state, __u32 cpu, __u64 now)
{
	state->logged_until = now;
	state->began_tick = now >> SCHED_TICK_SHIFT;
	state->checkpoint_tick = state->began_tick;
	state->newest = SLOT_OVERFLOW;
	state->position = 1;
	log_run(state, cpu, SLOT_OVERFLOW, now);
}

/*
 * `arrived` is the kernel's own stamp of when prev got the CPU. Where a switch raised no
 * event, it is later than the end of our log, and what lies between ran who came in last.
 */
static __always_inline void extend_timeline(struct sched_cpu *state, __u32 cpu, __u32 prev_slot,
					    __u64 arrived, __u64 now)
{
	if (!state->position) {
		begin_timeline(state, cpu, now);
		return;
	}
	if (arrived > state->logged_until && arrived < now)
		log_run(state, cpu, state->running_slot, arrived);
	if (now > state->logged_until)
		log_run(state, cpu, prev_slot, now);
	if (checkpoint_is_due(state))
		take_checkpoint(cpu);
}
