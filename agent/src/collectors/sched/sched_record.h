#pragma once

/*
 * What sched.bpf.c counts. All counters only grow and each element has one writer, its
 * CPU, unless it says otherwise; user space maps them, sums over CPUs and differences.
 */
#include <linux/types.h>

#include "base/hist.h"

#define SCHED_SLOT_BITS 11
#define SCHED_MAX_SLOTS (1 << SCHED_SLOT_BITS)

/* One per (CPU, slot): element `cpu * n_slots + slot`. Whole cache lines, so that CPUs share none. */
struct sched_record {
	__u64 ran_ns;
	__u64 wait_ns;		/* runnable and not running, migrated_wait_ns included */
	__u64 migrated_wait_ns; /* part of it spent on another CPU's queue before a migration */
	__u64 throttled_out;	/* switch-outs because a CFS quota ran out */
	/* Parts of wait_ns; the rest of it is in the pairs, to the ns. */
	__u64 throttled_own_wait_ns;
	__u64 throttled_ancestor_wait_ns;
	__u64 unattributed_wait_ns;
	__u64 max_wait_ns; /* user space zeroes it: a maximum found just then may be lost */
	/*
	 * Waits by length; their sum is the number of waits. 32 bits halve the memory; they wrap
	 * after hours at the earliest and user space takes differences modulo 2^32.
	 */
	__u32 runq[RUNQ_BUCKETS];
};

_Static_assert(sizeof(struct sched_record) == 448, "seven cache lines, shared with BPF");

/*
 * What `waiter` suffered from `runner` on this CPU. 22 bits of key leave 42 for the count of
 * preemptions, which therefore never wraps.
 */
struct sched_pair {
	__u64 key_count; /* waiter << 53 | runner << 42 | preemptions; 0 = free */
	__u64 wait_ns;	 /* waited while runner ran */
};

#define SCHED_PAIR_COUNT_BITS 42

static inline __u32 sched_pair_key(__u32 waiter, __u32 runner)
{
	return waiter << SCHED_SLOT_BITS | runner;
}

#define SCHED_PAIR_WAYS 4
#define SCHED_PAIR_SETS 1024 /* per CPU; a full set spills to the hash map pairs_spilled */

/* Element `cpu * SCHED_PAIR_SETS + set`: one cache line, nearly always of one waiter. */
struct sched_pair_set {
	struct sched_pair pairs[SCHED_PAIR_WAYS];
};

_Static_assert(sizeof(struct sched_pair_set) == 64, "one cache line, shared with BPF");

/* Keyed as sched_pair, shared by all CPUs, atomic. */
struct sched_spilled {
	__u64 count;
	__u64 wait_ns;
};

#define SCHED_SPILLED_PAIRS 4096

/*
 * The timeline of a CPU: who ran when. Time is rq clock in ticks of 16 ns: differences are
 * exact, and 32 bits last 68 s, twice the look-back.
 */
#define SCHED_TICK_SHIFT     4
#define SCHED_LOOK_BACK_TICK (30000000000ULL >> SCHED_TICK_SHIFT)

/* The newest runs: end tick << SCHED_SLOT_BITS | slot. Each begins where the one before ends. */
#define SCHED_LOG_ENTRIES 1024

struct sched_log {
	__u64 entries[SCHED_LOG_ENTRIES];
};

/* A slot in its CPU's recency list, a ring: the one that ran last comes first. */
struct sched_link {
	__u32 ran_until; /* tick */
	__u16 next, prev;
};

/*
 * A checkpoint is a copy of the CPU's run clocks. Time is cut into quanta of 262 us; the
 * checkpoint after a boundary belongs to the level that its boundary's number is divisible
 * by (2^level, not 2^(level+1)), and a level keeps its newest few. So the older, the
 * sparser, always in proportion to age, and nothing is ever moved.
 */
#define SCHED_QUANTUM_SHIFT    14 /* ticks */
#define SCHED_LEVELS	       16 /* the coarsest boundaries are 8.6 s apart: four reach 34 s */
#define SCHED_LEVEL_BITS       2
#define SCHED_CHECKPOINTS      (SCHED_LEVELS << SCHED_LEVEL_BITS)
#define SCHED_CHECKPOINT_RUNS  32	 /* log entries between two checkpoints, */
#define SCHED_CHECKPOINT_TICKS (1 << 18) /* or this time (4 ms) and two entries */

struct sched_checkpoint {
	__u64 boundary; /* number of the quantum; 0 = empty */
	__u64 tick;	/* when it was taken: the first switch after the boundary */
	__u64 position; /* in the log */
};

struct sched_checkpoints {
	struct sched_checkpoint at[SCHED_CHECKPOINTS];
};

/* One per CPU. */
struct sched_cpu {
	__u64 folded_at;     /* rq clock up to which the running task's time is in its record */
	__u64 lost_pairs;    /* preemptions and pieces of waits that found no cell */
	__u64 overflow_runs; /* switches-in counted in SLOT_OVERFLOW */
	__u64 runs;	     /* of the program */
	__u64 charges;	     /* pieces that waits were cut into */
	__u64 position;	     /* entries ever written to the log */
	__u64 logged_until;  /* rq clock at the log's end */
	__u64 began_tick;    /* of the timeline: what lies before is nobody's */
	__u64 checkpoint_tick;
	__u64 checkpoint_position;
	__u32 newest;	    /* slot at the head of the recency list */
	__u32 running_slot; /* who came in at the last switch that we saw */
	__u64 padding[5];
};

_Static_assert(sizeof(struct sched_cpu) == 128, "two cache lines, shared with BPF");

/*
 * What a task had when it was last seen to get a CPU, in one word so that another CPU never
 * reads half of it: tag << 58 | pcount << 42 | run_delay. The cell is chosen by 16 bits of
 * a permutation of the 22 that a pid has (PID_MAX_LIMIT); the tag is the other 6.
 */
#define SCHED_SEEN_CELLS       65536
#define SCHED_SEEN_PID_BITS    22
#define SCHED_SEEN_TAG_BITS    6
#define SCHED_SEEN_COUNT_SHIFT 42
#define SCHED_SEEN_COUNT_MASK  0xffff
#define SCHED_SEEN_DELAY_MASK  ((1ULL << 42) - 1) /* 73 minutes */
