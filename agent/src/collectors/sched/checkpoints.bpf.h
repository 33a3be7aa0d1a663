#pragma once

/* Taking and finding copies of the run clocks (sched_record.h tells which are kept). */
#include "collectors/sched/timeline.bpf.h"

/* Per CPU, its checkpoints and one of zeros (SCHED_AT_BEGIN): __u32 by slot, ticks. */
VECTORS(clock_copies, 0);

#define COPIES (SCHED_CHECKPOINTS + 1)

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
	__u32 index = (level << SCHED_LEVEL_BITS) +
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
#define LOOP(n, callback, context)                                            \
	({                                                                    \
		const __u64 steps = (__u64)bpf_loop(n, callback, context, 0); \
		asm volatile("" : : "i"(__COUNTER__));                        \
		steps;                                                        \
	})

struct copy {
	struct sched_lane *lane;
	__u32 *to;
};

static long copy_chunk(__u32 step, void *context)
{
	const struct copy *copy = context;
	const __u32 chunk = step & (n_slots / SCHED_CHUNK - 1);
	const __u64 *from = (const __u64 *)chunk_in(copy->lane, chunk)->clocks;
	__u64 *to = (__u64 *)(copy->to + chunk * SCHED_CHUNK);

#pragma unroll
	for (__u32 i = 0; i < SCHED_CHUNK / 2; i++)
		to[i] = from[i];
	return 0;
}

static __always_inline __u32 *copy_at(__u32 cpu, __u32 checkpoint)
{
	__u32 index = cpu * COPIES + checkpoint;

	return bpf_map_lookup_elem(&clock_copies, &index);
}

/*
 * Slots beyond used_chunks have never run here, neither now nor when the copy's place was
 * last used: both sides are 0.
 */
static __always_inline void copy_clocks(struct sched_lane *lane, __u32 cpu, __u32 checkpoint)
{
	struct copy copy = {.lane = lane, .to = copy_at(cpu, checkpoint)};

	if (copy.to)
		LOOP(lane->state.used_chunks, copy_chunk, &copy);
}

static __always_inline bool level_is_due(const struct sched_cpu *state)
{
	const __u64 runs = state->swept_position - state->levelled_position;
	const __u64 tick = state->swept_tick;

	if (runs < 2)
		return false;
	if (runs < SCHED_LEVELLED_RUNS && tick - state->levelled_tick < SCHED_LEVELLED_TICKS)
		return false;
	return (tick ^ state->levelled_tick) >> SCHED_QUANTUM_SHIFT;
}

static __always_inline void take_levelled(struct sched_lane *lane, __u32 cpu)
{
	struct sched_cpu *state = &lane->state;
	const __u64 tick = state->swept_tick;
	const __u64 quantum = tick >> SCHED_QUANTUM_SHIFT;
	/* The highest bit that changed is the highest power of two in between. */
	__u32 level = highest_bit(quantum ^ (state->levelled_tick >> SCHED_QUANTUM_SHIFT)), index;
	__u64 boundary;

	if (level > SCHED_LEVELS - 1)
		level = SCHED_LEVELS - 1;
	boundary = quantum >> level << level;
	index = levelled_index(boundary, level);
	if (index >= SCHED_LEVELLED)
		return;
	lane->levelled[index].boundary = boundary;
	lane->levelled[index].tick = tick;
	lane->levelled[index].position = state->swept_position;
	state->levelled_tick = tick;
	state->levelled_position = state->swept_position;
	copy_clocks(lane, cpu, SCHED_RECENT + index);
}

/* Of the clocks as the last sweep left them. */
static __always_inline void take_checkpoint(struct sched_lane *lane, __u32 cpu)
{
	struct sched_cpu *state = &lane->state;
	const __u32 index = state->n_recent % SCHED_RECENT;

	lane->recent_ticks[index] = state->swept_tick;
	lane->recent_positions[index] = state->swept_position;
	state->n_recent++;
	copy_clocks(lane, cpu, index);
	if (level_is_due(state))
		take_levelled(lane, cpu);
}

struct search {
	struct sched_lane *lane;
	__u64 tick;
};

static __always_inline void consider(const struct search *self, __u64 boundary)
{
	const __u32 index = levelled_index(boundary, boundary_level(boundary));
	struct sched_walk *walk = &self->lane->walk;
	__u64 tick;

	if (index >= SCHED_LEVELLED)
		return;
	if (self->lane->levelled[index].boundary != boundary)
		return;
	tick = self->lane->levelled[index].tick;
	if (tick >= self->tick) {
		if (tick < walk->newer_tick) {
			walk->newer = SCHED_RECENT + index;
			walk->newer_tick = tick;
			walk->position = self->lane->levelled[index].position;
		}
	} else if (tick > walk->older_tick) {
		walk->older = SCHED_RECENT + index;
		walk->older_tick = tick;
		walk->older_position = self->lane->levelled[index].position;
	}
}

/* Until there is one on both sides, or until all that is younger is in the ring. */
static long search_level(__u32 step, void *context)
{
	const struct search *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u32 level = walk->level & (2 * SCHED_LEVELS - 1);
	const __u64 boundary = self->tick >> SCHED_QUANTUM_SHIFT >> level << level;
	const __u64 next = boundary + (1ULL << level);

	consider(self, boundary - (1ULL << level));
	consider(self, boundary);
	consider(self, next);
	walk->level++;
	return walk->older != SCHED_AT_BEGIN &&
	       (walk->newer >= SCHED_RECENT ||
		next > self->lane->state.swept_tick >> SCHED_QUANTUM_SHIFT);
}

/*
 * For what is older than the ring: the youngest with a level before the instant and the
 * oldest after it. Boundaries of a level are all still there up to an age of about that many
 * quanta.
 */
__noinline int find_levelled(__u32 lane_cpu, __u64 tick)
{
	struct search search = {.lane = lane_of(lane_cpu), .tick = tick};
	const struct sched_cpu *state;
	struct sched_walk *walk;
	__u32 bit;

	if (!search.lane)
		return 0;
	state = &search.lane->state;
	walk = &search.lane->walk;
	bit = highest_bit((state->swept_tick - tick) >> SCHED_QUANTUM_SHIFT);
	walk->newer = state->n_recent % SCHED_RECENT;
	walk->newer_tick = search.lane->recent_ticks[state->n_recent % SCHED_RECENT];
	walk->position = search.lane->recent_positions[state->n_recent % SCHED_RECENT];
	walk->older = SCHED_AT_BEGIN;
	walk->older_tick = state->began_tick - 1;
	walk->older_position = 1;
	walk->level = bit > SCHED_LEVEL_BITS + 1 ? bit - SCHED_LEVEL_BITS - 1 : 0;
	LOOP(SCHED_LEVELS, search_level, &search);
	return 0;
}

/* How many of the ring are not before the instant; a sum, as branches would be guesses. */
static __always_inline __u32 count_recent_from(const struct sched_lane *lane, __u64 tick)
{
	__u64 count = 0;

#pragma unroll
	for (__u32 i = 0; i < SCHED_RECENT; i++)
		count += (tick - 1 - lane->recent_ticks[i]) >> 63;
	return (__u32)count;
}

/* The checkpoints around an instant before the newest one. */
static __always_inline void find_bracket(struct sched_lane *lane, __u32 lane_cpu, __u64 tick)
{
	const __u32 count = count_recent_from(lane, tick);
	struct sched_walk *walk = &lane->walk;
	const __u64 number = lane->state.n_recent - count;

	if (!count || count >= SCHED_RECENT) {
		find_levelled(lane_cpu, tick);
		return;
	}
	walk->newer = number % SCHED_RECENT;
	walk->newer_tick = lane->recent_ticks[number % SCHED_RECENT];
	walk->position = lane->recent_positions[number % SCHED_RECENT];
	walk->older = (number - 1) % SCHED_RECENT;
	walk->older_tick = lane->recent_ticks[(number - 1) % SCHED_RECENT];
	walk->older_position = lane->recent_positions[(number - 1) % SCHED_RECENT];
}
