#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"
#include "window/id_index.h"

/* A collector's view of one cgroup, cumulative since the agent attached. */
struct sched_counters {
	uint64_t ran_ns;
	uint64_t wait_ns;
	uint64_t wait_count; /* in a difference: the sum of runq */
	uint64_t migrated_wait_ns;
	uint64_t throttled_out; /* switch-outs because a CFS quota ran out */

	/* Parts of wait_ns. The rest is in the pairs, or nobody knows. */
	uint64_t throttled_own_wait_ns;
	uint64_t throttled_ancestor_wait_ns;
	uint64_t idle_gap_wait_ns;     /* the CPU was idle meanwhile */
	uint64_t unattributed_wait_ns; /* the record did not reach; what has no pair adds to it */

	uint64_t max_wait_ns; /* of waits since the last read: the one that is not cumulative */
	/*
	 * Modulo 2^32, as the kernel counts them: a window holds far less, and these are most of
	 * what a snapshot weighs.
	 */
	uint32_t runq[RUNQ_BUCKETS];		 /* all waits */
	uint32_t runq_unthrottled[RUNQ_BUCKETS]; /* the same waits without their throttled part */
};

/* cpu.stat and cpu.max of one level, cumulative since the cgroup was made. */
struct cpu_counters {
	uint64_t usage_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t nr_periods;
	uint64_t nr_throttled;
	uint64_t throttled_ns;
	uint64_t quota_us; /* 0 = no quota */
	uint64_t period_us;
	uint64_t burst_us;
};

enum {
	CGROUP_HAS_SCHED = 1u << 0,
	CGROUP_HAS_USAGE = 1u << 1,	/* usage, user, system */
	CGROUP_HAS_BANDWIDTH = 1u << 2, /* periods, throttling, quota */
};

struct cgroup_counters {
	uint64_t cgroup_id; /* kn->id in the cpu controller's hierarchy */
	uint32_t has;
	uint32_t cpus_allowed; /* 0 = unknown */
	struct sched_counters sched;
	struct cpu_counters cpu;
};

/* What tasks of `waiter` suffered from tasks of `runner`, both on the same CPU. */
struct pair_counter {
	uint64_t waiter_cgroup_id;
	uint64_t runner_cgroup_id;
	uint64_t preemptions; /* a runnable waiter made room for the runner */
	uint64_t wait_ns;     /* waited while the runner ran; part of the waiter's wait_ns */
};

/* /proc/stat, cumulative. */
struct host_counters {
	uint32_t cpus_online; /* 0 = could not be read */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t idle_ns;
	uint64_t iowait_ns;
	uint64_t steal_ns;
	uint64_t context_switches;
};

/*
 * Everything that the collectors read at one instant. Arrays are allocated once
 * with a capacity; what did not fit is counted in `dropped`. Collectors append;
 * snapshot_seal() then sorts, so that the same counters always give the same rows.
 */
struct snapshot {
	uint64_t taken_at_ns; /* CLOCK_MONOTONIC */
	struct cgroup_counters *cgroups;
	size_t n_cgroups, cap_cgroups;
	struct pair_counter *pairs;
	size_t n_pairs, cap_pairs;
	struct host_counters host;
	uint64_t dropped;
	struct id_index cgroup_index; /* id -> position in cgroups */
	struct id_index pair_index;   /* (waiter, runner) -> position in pairs */
};

int snapshot_init(struct snapshot *self, size_t cap_cgroups, size_t cap_pairs);
void snapshot_free(struct snapshot *self);
void snapshot_reset(struct snapshot *self, uint64_t taken_at_ns);

/* Empty, and what it held is not resident any more: for one that waits for its turn. */
void snapshot_forget(struct snapshot *self);

/* Finds or appends the row of a cgroup. NULL when full, counted in `dropped`. */
struct cgroup_counters *snapshot_cgroup(struct snapshot *self, uint64_t cgroup_id);

/* Adds to the pair's counters. -ENOSPC when full, counted in `dropped`. */
int snapshot_add_pair(struct snapshot *self, const struct pair_counter *pair);
void snapshot_seal(struct snapshot *self);

/* NULL if the snapshot has none. */
const struct cgroup_counters *snapshot_find(const struct snapshot *self, uint64_t cgroup_id);
const struct pair_counter *snapshot_find_pair(const struct snapshot *self,
					      uint64_t waiter_cgroup_id, uint64_t runner_cgroup_id);

/*
 * Between a window's `base` and its end more may be read. Gives to `self` what only the `earlier`
 * of two such reads knows and a difference to `base` would miss: cgroups and pairs that are gone
 * since, and a longer longest wait. All are sealed, and `self` is again.
 */
void snapshot_carry(struct snapshot *self, const struct snapshot *earlier,
		    const struct snapshot *base);
