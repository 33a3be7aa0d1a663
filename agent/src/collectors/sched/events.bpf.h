#pragma once

/* Single long waits told at once, a few a second; everything else is only summed. */
#include "collectors/kernel_types.bpf.h"
#include "collectors/sched/records.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SCHED_EVENT_RING_BYTES);
} events SEC(".maps");

/* The event that a CPU is about to send: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct sched_event);
} event_drafts SEC(".maps");

/* By slot, shared by all CPUs; a race lets one event more or less pass. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized to the number of slots */
	__type(key, __u32);
	__type(value, struct sched_event_limit);
} event_limits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_event_budget);
} event_budget SEC(".maps");

static __always_inline bool take_from_budget(__u64 now_ns)
{
	const __u32 only = 0;
	struct sched_event_budget *budget = bpf_map_lookup_elem(&event_budget, &only);

	if (!budget)
		return false;
	if (now_ns - budget->since_ns >= SCHED_EVENT_SPACING_NS) {
		budget->since_ns = now_ns;
		budget->n_sent = 0;
	}
	return __sync_fetch_and_add(&budget->n_sent, 1) < SCHED_EVENTS_AT_ONCE;
}

/* Begins a draft if the slot may send one of this kind now. */
__noinline int begin_event(__u32 cpu, __u32 slot, __u32 kind)
{
	struct sched_event_limit *limit = bpf_map_lookup_elem(&event_limits, &slot);
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	const __u64 now_ns = bpf_ktime_get_ns();
	const __u32 at = kind == SCHED_EVENT_THROTTLING;

	if (!limit || !draft || !state)
		return 0;
	if (now_ns - limit->sent_at_ns[at] < SCHED_EVENT_SPACING_NS || !take_from_budget(now_ns)) {
		limit->skipped[at]++;
		state->events_limited++;
		return 0;
	}
	limit->sent_at_ns[at] = now_ns;
	draft->skipped = limit->skipped[at];
	limit->skipped[at] = 0;
	draft->ended_at_ns = now_ns;
	draft->kind = kind;
	draft->cpu = cpu;
	draft->slot = slot;
	draft->n_shares = 0;
	return 1;
}

static __always_inline void send_event(const struct task_struct *task, __u32 cpu, __u32 slot,
				       __u64 duration_ns, __u32 is_own)
{
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);
	struct slot_owner *owner = bpf_map_lookup_elem(&slot_owners, &slot);
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);

	if (!draft || !owner || !state)
		return;
	draft->cgroup_id = owner->cgroup_id;
	draft->duration_ns = duration_ns;
	draft->pid = (__u32)task->pid;
	draft->is_own_quota = is_own;
	(void)bpf_probe_read_kernel(draft->comm, sizeof(draft->comm), task->comm);
	if (bpf_ringbuf_output(&events, draft, sizeof(*draft), 0))
		state->events_lost++;
}

/* The same runner may come more than once; who does not fit stays unnamed. */
__noinline int add_share(__u32 cpu, __u32 runner, __u64 ns)
{
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);
	__u32 at;

	if (!draft || !ns)
		return 0;
	at = draft->n_shares;
	if (at >= SCHED_EVENT_SHARES)
		return 0;
	draft->shares[at].slot = runner;
	draft->shares[at].us = (__u32)(ns / 1000);
	draft->n_shares = at + 1;
	return 0;
}
