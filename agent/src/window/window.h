#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "window/snapshot.h"

/*
 * PURE: two snapshots -> rows. No libbpf, no files, no clock.
 *
 * Rows are per container_id, not per cgroup: nested cgroups of one container are
 * summed, and so is the little that quiet system cgroups did (the fold row).
 */

/* What the cgroup table knows of a cgroup; looked up through window_names. */
struct cgroup_name {
	uint64_t container_id;
	bool is_container;
	const char *path; /* for the own quota level; lives as long as the table */
};

struct window_names {
	/* Returns false for an id that nobody has named: it goes to the fold row. */
	bool (*find)(const void *table, uint64_t cgroup_id, struct cgroup_name *ret_name);
	/*
	 * Walks up the cgroups above `cgroup_id` (nearest first, without itself);
	 * false at the root.
	 */
	bool (*parent)(const void *table, uint64_t cgroup_id, uint64_t *ret_parent_id);
	const void *table;
	uint64_t fold_container_id; /* "system (other)" */
};

#define WINDOW_MAX_QUOTAS 8

struct window_quota {
	const char *cgroup_path;
	bool own;
	uint64_t quota_us; /* 0 = none */
	uint64_t period_us;
	uint64_t burst_us;
	uint64_t nr_periods;
	uint64_t nr_throttled;
	uint64_t throttled_ns;
};

struct window_row {
	uint64_t container_id;
	bool is_container;
	uint32_t has; /* CGROUP_HAS_* */
	uint32_t cpus_allowed;
	struct sched_counters sched; /* within the window */

	/*
	 * The rest of the split: these three, and throttled_own, throttled_ancestor, idle_gap and
	 * unattributed of `sched`, add up to sched.wait_ns exactly.
	 */
	uint64_t self_wait_ns;
	uint64_t neighbor_wait_ns;
	uint64_t system_wait_ns;

	uint64_t preempted_self;
	uint64_t preempted_other;
	uint64_t preempted_system;
	uint64_t usage_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	struct window_quota quotas[WINDOW_MAX_QUOTAS]; /* own first, then ancestors with a quota */
	size_t n_quotas;
};

struct window_pair {
	uint64_t victim_id;    /* container_id of who waited */
	uint64_t aggressor_id; /* container_id of who ran */
	uint64_t preemptions;
	uint64_t wait_ns;
};

struct window {
	int64_t started_at_unix_ns; /* clock-aligned */
	uint64_t duration_ns;
	struct host_counters host; /* within the window */
	struct window_row *rows;
	size_t n_rows, cap_rows;
	struct window_pair *pairs;
	size_t n_pairs, cap_pairs;
	uint64_t dropped;	    /* rows, quotas or pairs that did not fit */
	struct id_index row_index;  /* container_id -> position in rows */
	struct id_index pair_index; /* (victim, aggressor) -> position in pairs */
	struct window_mark *marks;  /* per cgroup of the newer snapshot */
};

/* `cap_rows` should be the snapshots' cap_cgroups: cgroups past it are dropped and counted. */
int window_init(struct window *self, size_t cap_rows, size_t cap_pairs);
void window_free(struct window *self);

/* Empty, and what it held is not resident any more, until the next window_diff. */
void window_forget(struct window *self);

/*
 * new - old; fills all but started_at_unix_ns, which the caller reads from the wall clock.
 *
 * A counter that went back is never differenced: that part of the row is left out. A cgroup
 * first seen in `new` counts from zero for sched (its slot began at zero) and gives no
 * cpu.stat figures until the next window. Kernel ids are never reused, so a cgroup that was
 * made again under the same path is another cgroup.
 *
 * Scheduler counters of nested cgroups of one container are summed. cpu.stat already holds
 * everything below, so usage, quota and cpuset are those of the container's topmost cgroup;
 * a system cgroup with others below it has no usage of its own to show.
 *
 * System cgroups with ran + wait < 1 ms (usage, where sched is not running) and no throttled
 * period are folded into names->fold_container_id, and so is whoever has no name. The causes
 * of preemption and of waiting are told apart after that: within the fold row all is `self`.
 *
 * A wait under a runner without a name is unattributed; the pair then has only preemptions. The
 * wait_ns of a row's pairs add up to its self + neighbor + system, unless pairs were dropped.
 */
void window_diff(const struct snapshot *old, const struct snapshot *new,
		 const struct window_names *names, struct window *ret);

/* Pairs merged over several windows, so that they cost one row a minute. */
struct pair_merge {
	int64_t started_at_unix_ns;
	uint64_t duration_ns;
	struct window_pair *pairs;
	size_t n_pairs, cap_pairs;
	uint64_t dropped; /* pairs that did not fit: their figures are in none */
	unsigned int n_windows;
	struct id_index index; /* (victim, aggressor) -> position in pairs */
};

int pair_merge_init(struct pair_merge *self, size_t cap_pairs);
void pair_merge_free(struct pair_merge *self);
void pair_merge_add(struct pair_merge *self, const struct window *window);
void pair_merge_reset(struct pair_merge *self);
