/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A reference to measure against, written from the public description of a well-known design:
 * the wakeup is stamped in a hash by pid, the switch takes the stamp out again, reads the cgroup
 * of both tasks, and sends an event for each wait, at most one a millisecond, cgroup and CPU.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "collectors/kernel_types.bpf.h"

#define MAX_TASKS     65536
#define MAX_CGROUPS   4096
#define RING_BYTES    (256 * 1024)
#define RATE_LIMIT_NS 1000000ULL

void bpf_rcu_read_lock(void) __ksym;
void bpf_rcu_read_unlock(void) __ksym;

struct event {
	__u64 prev_cgroup_id;
	__u64 cgroup_id;
	__u64 wait_ns;
	__u64 at_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_TASKS);
	__type(key, __u32);
	__type(value, __u64);
} woken_at SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, MAX_CGROUPS);
	__type(key, __u64);
	__type(value, __u64);
} last_event_at SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} events SEC(".maps");

static __always_inline int enqueue(const struct task_struct *task)
{
	const __u32 pid = (__u32)task->pid;
	const __u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(&woken_at, &pid, &now, BPF_NOEXIST);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(stream_wakeup, struct task_struct *task)
{
	return enqueue(task);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(stream_wakeup_new, struct task_struct *task)
{
	return enqueue(task);
}

/* Of the cpu controller, so that it means the same on v1, hybrid and v2. */
static __always_inline __u64 cgroup_id_of(const struct task_struct *task)
{
	const struct cgroup *cgroup;
	__u64 id;

	bpf_rcu_read_lock();
	cgroup = task->sched_task_group->css.cgroup;
	id = cgroup ? cgroup->kn->id : 0;
	bpf_rcu_read_unlock();
	return id;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(stream_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const __u32 pid = (__u32)next->pid;
	__u64 now, prev_cgroup_id, cgroup_id, *stamp, *last;
	struct event *event;

	stamp = bpf_map_lookup_elem(&woken_at, &pid);
	if (!stamp)
		return 0;
	now = bpf_ktime_get_ns();
	const __u64 wait_ns = now - *stamp;
	bpf_map_delete_elem(&woken_at, &pid);
	prev_cgroup_id = cgroup_id_of(prev);
	cgroup_id = cgroup_id_of(next);
	last = bpf_map_lookup_elem(&last_event_at, &cgroup_id);
	if (last && now - *last < RATE_LIMIT_NS)
		return 0;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event)
		return 0;
	event->prev_cgroup_id = prev_cgroup_id;
	event->cgroup_id = cgroup_id;
	event->wait_ns = wait_ns;
	event->at_ns = now;
	bpf_ringbuf_submit(event, 0);
	bpf_map_update_elem(&last_event_at, &cgroup_id, &now, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
