#pragma once

/*
 * What sched.bpf.c counts. All counters only grow and each element has one writer, its
 * CPU (pairs_spilled excepted); user space maps them, sums over CPUs and differences.
 */
#include <linux/types.h>

#include "base/hist.h"

/* One per (CPU, slot): element `cpu * n_slots + slot`. Whole cache lines, so that CPUs share none. */
struct sched_record {
	__u64 ran_ns;
	__u64 wait_ns;		/* runnable and not running, migrated_wait_ns included */
	__u64 migrated_wait_ns; /* part of it spent on another CPU's queue before a migration */
	__u64 throttled_out;	/* switch-outs because a CFS quota ran out */
	/*
	 * Waits by length; their sum is the number of waits. 32 bits halve the memory; they wrap
	 * after hours at the earliest and user space unwraps them at every read.
	 */
	__u32 runq[RUNQ_BUCKETS];
	__u64 padding[4];
};

_Static_assert(sizeof(struct sched_record) == 448, "seven cache lines, shared with BPF");

/* Involuntary switch-outs of `prev` by `next`. */
struct sched_pair {
	__u32 key; /* prev's slot << 16 | next's slot; 0 = free */
	__u32 padding;
	__u64 count;
};

#define SCHED_PAIR_WAYS 4
#define SCHED_PAIR_SETS 256 /* per CPU; a full set spills to the hash map pairs_spilled */

/* Element `cpu * SCHED_PAIR_SETS + set`: one cache line. */
struct sched_pair_set {
	struct sched_pair pairs[SCHED_PAIR_WAYS];
};

_Static_assert(sizeof(struct sched_pair_set) == 64, "one cache line, shared with BPF");

/* One per CPU. */
struct sched_cpu {
	__u64 folded_at;     /* rq clock up to which the running task's time is in its record */
	__u64 lost_pairs;    /* preemptions that found no cell */
	__u64 overflow_runs; /* switches-in counted in SLOT_OVERFLOW */
	__u64 padding[5];
};

_Static_assert(sizeof(struct sched_cpu) == 64, "one cache line, shared with BPF");

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

#define SCHED_MAX_SLOTS	    65535 /* a slot is half of a pair's key */
#define SCHED_SPILLED_PAIRS 8192
