#pragma once

/*
 * The kernel's structures, by the fields that our programs touch. Offsets are relocated
 * at load (CO-RE), so order and completeness do not matter; a generated vmlinux.h would
 * be 130,000 lines that nobody reads. A field that comes and goes with the kernel's
 * version carries the commit or release that changed it.
 */
#include <linux/types.h>
#include <stdbool.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id; /* = inode number of the cgroup's directory */
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
	int id;		 /* small, dense, reused at once; 0 for an autogroup */
	__u64 serial_nr; /* never reused, never 0 */
};

struct cgroup_root {
	int hierarchy_id; /* as in /proc/<pid>/cgroup; 0 = the v2 tree */
};

struct cgroup {
	struct cgroup_subsys_state self; /* no controller's: it stands for the cgroup itself */
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct task_group {
	struct cgroup_subsys_state css;
};

struct rq {
	__u64 clock; /* sched_clock, not CLOCK_MONOTONIC: for durations only */
	int cpu;
	__u64 clock_pelt; /* slower while the CPU is */
	unsigned long lost_idle_time;
};

struct cfs_rq {
	struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED */
	/* CONFIG_CFS_BANDWIDTH: */
	int throttled;		    /* by the cgroup's own quota; a bit since 6.18 */
	int throttle_count;	    /* by that and those above */
	int runtime_enabled;	    /* has a quota of its own */
	__u64 throttled_clock_self; /* since 6.6: throttled with a task to run since; 0 = not */
	__u64 throttled_clock_self_time; /* since 6.6: spans that ended, ns */
	__u64 throttled_clock_pelt_time; /* since 5.19: the same by the PELT clock */
	__u64 throttled_clock_pelt; /* since 5.19: when the newest span began; not since 6.18 */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;	     /* CONFIG_FAIR_GROUP_SCHED; set for tasks of every class */
	unsigned char sched_delayed; /* since 6.12 (delayed dequeue) */
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long
		last_queued; /* stamped at wakeup and at preemption; 0 while not queued */
};

#define ON_RQ_MIGRATING 2

struct task_struct {
	int pid;
	int on_rq;
	int prio;
	bool throttled; /* since 6.18 (task based throttling) */
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_group *sched_task_group; /* CONFIG_CGROUP_SCHED: the cpu controller's */
};

#pragma clang attribute pop
