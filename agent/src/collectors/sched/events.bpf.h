#pragma once

/* Single long waits told at once, a few a second; everything else is only summed. */
#include "collectors/kernel_types.bpf.h"
#include "collectors/sched/timeline.bpf.h"

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

static __always_inline bool is_spent(const struct sched_event_budget *budget, __u64 now_ns)
{
	return now_ns - budget->since_ns < SCHED_EVENT_SPACING_NS &&
	       budget->n_sent >= SCHED_EVENTS_AT_ONCE;
}

static __always_inline void spend(struct sched_event_budget *budget, __u64 now_ns)
{
	if (now_ns - budget->since_ns >= SCHED_EVENT_SPACING_NS) {
		budget->since_ns = now_ns;
		budget->n_sent = 0;
	}
	__sync_fetch_and_add(&budget->n_sent, 1);
}

/* By the wait's last few runs: what is only counted is not worth a walk through all of it. */
static __always_inline bool others_ran(const struct sched_lane *lane, __u32 waiter, __u64 ns)
{
	const struct sched_cpu *state = &lane->state;
	__u64 begin, until, ticks = 0;

	until = end_tick(state);
	begin = until - (ns >> SCHED_TICK_SHIFT);
#pragma clang loop unroll(disable) /* clang would want all of it on the stack */
	for (__u32 i = 1; i <= SCHED_EVENT_LOOK_BACK; i++) {
		const __u64 entry = log_entry(lane, state->position - i);
		const __u32 slot = runner_of(entry);

		if (slot != waiter && slot != SLOT_IDLE && until > begin)
			ticks += until - began_tick(entry);
		until = began_tick(entry);
	}
	return ticks << SCHED_TICK_SHIFT >= SCHED_EVENT_OTHERS_NS;
}

/* Begins a draft if the slot may send one of this kind now; whether it does, its end tells. */
__noinline int begin_event(__u32 cpu, __u32 slot, __u32 kind, __u64 ns)
{
	const __u32 at = kind == SCHED_EVENT_THROTTLING, only = 0;
	struct sched_event_limit *limit = bpf_map_lookup_elem(&event_limits, &slot);
	struct sched_event_budget *budget = bpf_map_lookup_elem(&event_budget, &only);
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);
	struct sched_lane *lane = lane_of(cpu);
	const __u64 now_ns = bpf_ktime_get_ns();

	if (!limit || !budget || !draft || !lane || slot == SLOT_OVERFLOW)
		return 0;
	if (now_ns - limit->sent_at_ns[at] < SCHED_EVENT_SPACING_NS || is_spent(budget, now_ns)) {
		if (kind == SCHED_EVENT_THROTTLING || others_ran(lane, slot, ns)) {
			limit->skipped[at]++;
			lane->state.events_limited++;
		}
		return 0;
	}
	draft->ended_at_ns = now_ns;
	draft->kind = kind;
	draft->cpu = cpu;
	draft->slot = slot;
	draft->others_ns = 0;
#pragma unroll
	for (int i = 0; i < SCHED_EVENT_SHARES; i++)
		draft->shares[i].ns = 0;
	return 1;
}

/* A wait for one's own threads, or for an idle CPU to wake, is no event and costs no turn. */
__noinline int pass_event(__u32 cpu, __u32 slot)
{
	const __u32 only = 0;
	struct sched_event_limit *limit = bpf_map_lookup_elem(&event_limits, &slot);
	struct sched_event_budget *budget = bpf_map_lookup_elem(&event_budget, &only);
	struct slot_owner *owner = bpf_map_lookup_elem(&slot_owners, &slot);
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);
	struct sched_lane *lane = lane_of(cpu);
	__u32 at;

	if (!limit || !budget || !owner || !draft || !lane)
		return 0;
	at = draft->kind == SCHED_EVENT_THROTTLING;
	if (!at && draft->others_ns < SCHED_EVENT_OTHERS_NS)
		return 0;
	draft->cgroup_id = owner->cgroup_id;
	draft->skipped = limit->skipped[at];
	limit->sent_at_ns[at] = draft->ended_at_ns;
	spend(budget, draft->ended_at_ns);
	if (bpf_ringbuf_output(&events, draft, sizeof(*draft), 0))
		lane->state.events_lost++;
	else
		limit->skipped[at] -= draft->skipped;
	return 0;
}

static __always_inline void send_event(const struct task_struct *task, __u32 cpu, __u32 slot,
				       __u64 duration_ns, __u32 is_own)
{
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);

	if (!draft)
		return;
	draft->duration_ns = duration_ns;
	draft->pid = (__u32)task->pid;
	draft->is_own_quota = is_own;
	(void)bpf_probe_read_kernel(draft->comm, sizeof(draft->comm), task->comm);
	pass_event(cpu, slot);
}

/* The same runner may come more than once; who finds no cell stays unnamed. */
__noinline int add_share(__u32 cpu, __u32 runner, __u64 ns)
{
	struct sched_event *draft = bpf_map_lookup_elem(&event_drafts, &cpu);

	if (!draft || !ns)
		return 0;
	if (runner != draft->slot && runner != SLOT_IDLE)
		draft->others_ns += ns;
#pragma unroll
	for (__u32 i = 0; i < SCHED_EVENT_PROBES; i++) {
		const __u32 at = (runner + i) % SCHED_EVENT_SHARES;

		if (draft->shares[at].ns && draft->shares[at].slot != runner)
			continue;
		draft->shares[at].slot = runner;
		draft->shares[at].ns += ns;
		return 0;
	}
	return 0;
}
