#pragma once

/* Taking and finding copies of the run clocks (sched_record.h tells which are kept). */
#include "collectors/sched/timeline.bpf.h"

VECTORS(clock_copies); /* per CPU and checkpoint: __u32 by slot, ticks */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct sched_checkpoints);
} checkpoints SEC(".maps");

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
static __always_inline __u32 levelled_index(__u64 boundary, __u32 level)
{
	const __u32 shift = level < SCHED_LEVELS - 1 ? level + 1 : level;
	__u32 index = SCHED_RECENT + (level << SCHED_LEVEL_BITS) +
		      ((__u32)(boundary >> shift) & ((1 << SCHED_LEVEL_BITS) - 1));

	/*
	 * Linux 6.1's verifier forgets the bounds of both sides of an OR, which clang makes of
	 * the sum. The caller's check is theirs, which clang may not prove away.
	 */
	barrier_var(index);
	return index;
}

/*
 * The kernel makes a plain loop of bpf_loop() only where a call has one callback; else every
 * step is an indirect call. So keep clang from merging calls.
 */
#define LOOP(n, callback, context)                     \
	do {                                           \
		bpf_loop(n, callback, context, 0);     \
		asm volatile("" : : "i"(__COUNTER__)); \
	} while (0)

struct copy {
	const __u64 *from;
	__u64 *to;
};

static long copy_chunk(__u32 chunk, void *context)
{
	const __u32 at = (chunk & (n_slots / SCHED_CHUNK - 1)) * (SCHED_CHUNK / 2);
	const struct copy *copy = context;

#pragma unroll
	for (__u32 i = 0; i < SCHED_CHUNK / 2; i++)
		copy->to[at + i] = copy->from[at + i];
	return 0;
}

/*
 * Slots beyond used_chunks have never run here, neither now nor when the copy's place was
 * last used: both sides are 0.
 */
static __always_inline void copy_clocks(const struct sched_cpu *state, __u32 cpu, __u32 checkpoint)
{
	__u32 index = cpu * SCHED_CHECKPOINTS + checkpoint;
	struct copy copy = {
		.from = bpf_map_lookup_elem(&run_clocks, &cpu),
		.to = bpf_map_lookup_elem(&clock_copies, &index),
	};

	if (!copy.from || !copy.to)
		return;
	LOOP(state->used_chunks, copy_chunk, &copy);
}

static __always_inline bool level_is_due(const struct sched_cpu *state, __u64 tick)
{
	const __u64 runs = state->position - state->levelled_position;

	if (runs < 2)
		return false;
	if (runs < SCHED_LEVELLED_RUNS && tick - state->levelled_tick < SCHED_LEVELLED_TICKS)
		return false;
	return (tick ^ state->levelled_tick) >> SCHED_QUANTUM_SHIFT;
}

static __always_inline void take_levelled(struct sched_cpu *state, __u32 cpu,
					  struct sched_checkpoints *taken, __u64 tick)
{
	const __u64 quantum = tick >> SCHED_QUANTUM_SHIFT;
	/* The highest bit that changed is the highest power of two in between. */
	__u32 level = highest_bit(quantum ^ (state->levelled_tick >> SCHED_QUANTUM_SHIFT)), index;
	__u64 boundary;

	if (level > SCHED_LEVELS - 1)
		level = SCHED_LEVELS - 1;
	boundary = quantum >> level << level;
	index = levelled_index(boundary, level);
	if (index >= SCHED_CHECKPOINTS)
		return;
	taken->at[index].boundary = boundary;
	taken->at[index].tick = tick;
	taken->at[index].position = state->position;
	state->levelled_tick = tick;
	state->levelled_position = state->position;
	copy_clocks(state, cpu, index);
}

__noinline int take_checkpoint(__u32 cpu)
{
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct sched_checkpoints *taken = bpf_map_lookup_elem(&checkpoints, &cpu);
	__u32 index;
	__u64 tick;

	if (!state || !taken)
		return 0;
	tick = state->logged_until >> SCHED_TICK_SHIFT;
	index = state->n_recent % SCHED_RECENT;
	taken->at[index].tick = tick;
	taken->at[index].position = state->position;
	state->n_recent++;
	state->recent_tick = tick;
	state->recent_position = state->position;
	copy_clocks(state, cpu, index);
	if (level_is_due(state, tick))
		take_levelled(state, cpu, taken, tick);
	return 0;
}

/* The checkpoints around an instant. */
struct bracket {
	__u64 tick;
	__u64 newer_tick, older_tick;
	__u32 newer, older; /* NO_CHECKPOINT = none */
	__u32 level;
	__u32 padding[5];
};

#define NO_CHECKPOINT 0xffffffff

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct bracket);
} brackets SEC(".maps");

struct search {
	const struct sched_checkpoints *taken;
	struct bracket *bracket;
};

static __always_inline void consider(const struct search *self, __u64 boundary)
{
	const __u32 index = levelled_index(boundary, boundary_level(boundary));
	struct bracket *bracket = self->bracket;
	const struct sched_checkpoint *checkpoint;

	if (index >= SCHED_CHECKPOINTS)
		return;
	checkpoint = &self->taken->at[index];
	if (checkpoint->boundary != boundary)
		return;
	if (checkpoint->tick >= bracket->tick) {
		if (checkpoint->tick < bracket->newer_tick) {
			bracket->newer = index;
			bracket->newer_tick = checkpoint->tick;
		}
	} else if (checkpoint->tick > bracket->older_tick) {
		bracket->older = index;
		bracket->older_tick = checkpoint->tick;
	}
}

static long search_level(__u32 step, void *context)
{
	const struct search *self = context;
	struct bracket *bracket = self->bracket;
	const __u32 level = bracket->level & (2 * SCHED_LEVELS - 1);
	const __u64 boundary = bracket->tick >> SCHED_QUANTUM_SHIFT >> level << level;

	consider(self, boundary - (1ULL << level));
	consider(self, boundary);
	consider(self, boundary + (1ULL << level));
	bracket->level++;
	return bracket->newer != NO_CHECKPOINT && bracket->older != NO_CHECKPOINT;
}

/*
 * The youngest with a level before the instant and the oldest after it. Boundaries of a
 * level are all still there up to an age of about that many quanta.
 */
__noinline int find_levelled(__u32 lane, __u32 cpu, __u64 tick, __u64 now_tick)
{
	struct search search = {
		.taken = bpf_map_lookup_elem(&checkpoints, &lane),
		.bracket = bpf_map_lookup_elem(&brackets, &cpu),
	};
	const __u32 bit = highest_bit((now_tick - tick) >> SCHED_QUANTUM_SHIFT);

	if (!search.taken || !search.bracket)
		return 0;
	search.bracket->tick = tick;
	search.bracket->newer_tick = ~0ULL;
	search.bracket->older_tick = 0;
	search.bracket->newer = NO_CHECKPOINT;
	search.bracket->older = NO_CHECKPOINT;
	search.bracket->level = bit > SCHED_LEVEL_BITS + 1 ? bit - SCHED_LEVEL_BITS - 1 : 0;
	LOOP(SCHED_LEVELS, search_level, &search);
	return 0;
}

/*
 * Of the ring, the oldest after the instant: how many younger ones there are, or
 * SCHED_RECENT - 1 and more if the instant is older than the ring.
 */
__noinline __u32 count_recent_after(__u32 lane, __u64 tick)
{
	const struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &lane);
	const struct sched_checkpoints *taken = bpf_map_lookup_elem(&checkpoints, &lane);
	__u32 younger = 0;

	if (!state || !taken)
		return SCHED_RECENT;
#pragma unroll
	for (__u32 step = SCHED_RECENT / 2; step; step /= 2) {
		const __u64 number = state->n_recent - 1 - younger - step;

		if (taken->at[number % SCHED_RECENT].tick >= tick)
			younger += step;
	}
	return younger;
}

static __always_inline void find_bracket(struct bracket *bracket, const struct sched_cpu *timeline,
					 __u32 lane, __u32 cpu, __u64 tick)
{
	const __u32 younger = count_recent_after(lane, tick);

	if (younger < SCHED_RECENT - 1 && younger + 1 < timeline->n_recent) {
		bracket->newer = (timeline->n_recent - 1 - younger) % SCHED_RECENT;
		bracket->older = (timeline->n_recent - 2 - younger) % SCHED_RECENT;
		return;
	}
	find_levelled(lane, cpu, tick, timeline->logged_until >> SCHED_TICK_SHIFT);
}
