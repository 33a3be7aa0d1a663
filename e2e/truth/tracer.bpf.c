/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Every switch, wakeup and migration, raw. The opposite of the product's collector: no state,
 * no arithmetic, an event each. Kernel structures are declared by the fields touched (CO-RE).
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "trace.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct task_group {
	struct cgroup_subsys_state css;
};

struct rq {
	__u64 clock;
	int cpu;
	__u64 clock_pelt;
	unsigned long lost_idle_time;
};

struct cfs_rq {
	struct rq *rq;
	int throttle_count;
	__u64 throttled_clock_self; /* since 6.6 */
	__u64 throttled_clock_self_time;
	__u64 throttled_clock_pelt;
	__u64 throttled_clock_pelt_time;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
	unsigned char sched_delayed; /* since 6.12 */
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct task_struct {
	int pid;
	int on_rq;
	int prio;
	bool throttled; /* since 6.18 */
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_group *sched_task_group;
};

#pragma clang attribute pop

#define ON_RQ_QUEUED	1
#define ON_RQ_MIGRATING 2
#define FIRST_FAIR_PRIO 100

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024 * 1024); /* resized by the option */
} ring SEC(".maps");

__u64 dropped = 0;

static __always_inline __u32 flags_of(const struct task_struct *task, const struct cfs_rq *cfs_rq)
{
	__u32 flags = 0;

	if (task->on_rq == ON_RQ_QUEUED)
		flags |= TRUTH_ON_RQ;
	else if (task->on_rq == ON_RQ_MIGRATING)
		flags |= TRUTH_MIGRATING;
	if (bpf_core_field_exists(task->se.sched_delayed) && task->se.sched_delayed)
		flags |= TRUTH_SCHED_DELAYED;
	if (bpf_core_field_exists(task->throttled)) {
		flags |= TRUTH_BY_TASK;
		if (task->throttled)
			flags |= TRUTH_TASK_THROTTLED;
	}
	if (bpf_core_field_exists(cfs_rq->throttle_count) && cfs_rq->throttle_count > 0)
		flags |= TRUTH_GROUP_THROTTLED;
	if (task->prio >= FIRST_FAIR_PRIO)
		flags |= TRUTH_FAIR;
	return flags;
}

/*
 * By the PELT clock where whole queues are throttled: it alone keeps when a span began. Its
 * instants are turned into rq clock by what both say now.
 */
static __always_inline void fill_throttled(struct truth_task *to, const struct task_struct *task,
					   const struct cfs_rq *cfs_rq)
{
	const struct rq *rq = cfs_rq->rq;

	to->throttled_ns = 0;
	to->throttled_since = 0;
	to->throttled_begun = 0;
	if (bpf_core_field_exists(task->throttled)) {
		to->throttled_ns = cfs_rq->throttled_clock_self_time;
		to->throttled_since = cfs_rq->throttled_clock_self;
	} else if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time)) {
		to->throttled_ns = cfs_rq->throttled_clock_pelt_time;
		to->throttled_begun = rq->clock - (rq->clock_pelt - rq->lost_idle_time) +
				      cfs_rq->throttled_clock_pelt;
		if (cfs_rq->throttle_count > 0)
			to->throttled_since = to->throttled_begun;
	}
}

static __always_inline void fill(struct truth_task *to, const struct task_struct *task)
{
	const struct cfs_rq *cfs_rq = task->se.cfs_rq;
	const struct cgroup *cgroup = task->sched_task_group->css.cgroup;

	to->pid = (__u32)task->pid;
	to->flags = flags_of(task, cfs_rq);
	to->cgroup_id = cgroup ? cgroup->kn->id : 0;
	to->run_delay = task->sched_info.run_delay;
	to->last_queued = task->sched_info.last_queued;
	to->last_arrival = task->sched_info.last_arrival;
	to->pcount = task->sched_info.pcount;
	fill_throttled(to, task, cfs_rq);
}

static __always_inline void head(struct truth_event *event, const struct task_struct *task,
				 __u32 kind)
{
	const struct rq *rq = task->se.cfs_rq->rq;

	event->clock = rq->clock;
	event->monotonic_ns = bpf_ktime_get_ns();
	event->cpu = (__u32)rq->cpu;
	event->kind = kind;
	fill(&event->task, task);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct truth_event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&dropped, 1);
		return 0;
	}
	head(event, prev, TRUTH_SWITCH);
	fill(&event->next, next);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int short_event(const struct task_struct *task, __u32 kind)
{
	struct truth_event *event = bpf_ringbuf_reserve(&ring, TRUTH_SHORT_EVENT_BYTES, 0);

	if (!event) {
		__sync_fetch_and_add(&dropped, 1);
		return 0;
	}
	head(event, task, kind);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	return short_event(task, TRUTH_WAKEUP);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	return short_event(task, TRUTH_WAKEUP);
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int to_cpu)
{
	return short_event(task, TRUTH_MIGRATE);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
