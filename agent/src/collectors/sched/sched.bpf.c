/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Who waited for a CPU, how long, and who came in instead: one hook, no timestamps of our
 * own. The kernel stamps sched_info.last_queued at wakeup AND at preemption, so at switch-in
 * `rq->clock - last_queued` is the wait, to the nanosecond what /proc/<pid>/schedstat adds up.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "collectors/cgroup.bpf.h"
#include "collectors/kernel_types.bpf.h"
#include "collectors/sched/around.bpf.h"
#include "collectors/sched/seen.bpf.h"

/* enum sched_level; user space writes it. */
__u32 level;

/*
 * Most waits lie under one run, the newest: it is charged here. Everything else is walked.
 * Returns how much is nobody's.
 */
static __always_inline __u64 blame_run(struct sched_cpu *state, __u32 cpu, __u32 waiter, __u64 from,
				       __u64 ns, __u32 is_told)
{
	struct sched_log *log = bpf_map_lookup_elem(&run_logs, &cpu);
	const __u64 lane_cpu = (__u64)cpu << 32 | cpu;

	if (!log || !ns || level >= SCHED_LEVEL_NO_BLAME)
		return ns;
	if (ns >= SCHED_NEIGHBOR_NS)
		return blame_wait(lane_cpu, waiter, from, ns, is_told);
	if (log->entries[(state->position - 2) % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS > from >>
		    SCHED_TICK_SHIFT ||
	    state->began_tick > from >> SCHED_TICK_SHIFT) {
		if (level >= SCHED_LEVEL_NO_SHORT_WALKS && ns < SCHED_SHORT_WAIT_NS)
			return ns;
		return blame_wait(lane_cpu, waiter, from, ns, 0);
	}
	state->charges++;
	return charge_run(cpu, waiter, state->newest, ns);
}

/* Of a wait from `from`, what no quota is to blame for. */
static __always_inline __u64 blame_rest(struct sched_cpu *state, __u32 cpu, __u32 waiter,
					__u64 from, __u64 wait_ns,
					const struct throttled *throttled, __u32 is_told)
{
	const __u64 ns = wait_ns - throttled->ns;

	if (throttled->is_inside && level < SCHED_LEVEL_NO_SHORT_WALKS &&
	    log_reaches(state, cpu, from))
		return blame_around((__u64)cpu << 32 | cpu, waiter, from, ns, is_told);
	return blame_run(state, cpu, waiter, throttled->until, ns, is_told);
}

/* The same for a wait on another CPU's queue, of which a part may lie after its last switch. */
static __always_inline __u64 blame_until(const struct sched_cpu *timeline, __u32 lane, __u32 cpu,
					 __u32 waiter, __u64 now, __u64 wait_ns,
					 const struct throttled *throttled)
{
	const __u64 lane_cpu = (__u64)lane << 32 | cpu, logged_until = timeline->logged_until;
	const __u64 ns = wait_ns - throttled->ns;
	const bool is_inside = throttled->is_inside && log_reaches(timeline, lane, now - wait_ns);
	__u64 open_ns = now > logged_until ? now - logged_until : 0;

	if (!timeline->position || !ns || level >= SCHED_LEVEL_NO_BLAME)
		return ns;
	if (is_inside)
		open_ns -= throttled_between(lane, waiter, now - open_ns, now) >> 1;
	if (open_ns >= ns)
		return charge_run(cpu, waiter, timeline->running_slot, ns);
	return charge_run(cpu, waiter, timeline->running_slot, open_ns) +
	       (is_inside ? blame_around(lane_cpu, waiter, now - wait_ns, ns - open_ns, 0)
			  : blame_wait(lane_cpu, waiter, now - ns, ns - open_ns, 0));
}

static __always_inline void count_throttled(struct sched_record *record,
					    const struct throttled *throttled)
{
	if (throttled->is_own)
		record->throttled_own_wait_ns += throttled->ns;
	else
		record->throttled_ancestor_wait_ns += throttled->ns;
}

static __always_inline void count_wait(const struct task_struct *next, __u32 slot,
				       struct sched_cpu *state, __u32 cpu, __u64 now)
{
	const __u64 last_queued = next->sched_info.last_queued;
	struct sched_record *record = record_of(cpu, slot);
	struct earlier_wait earlier;
	struct throttled throttled;
	__u32 is_told;
	__u64 wait_ns;

	if (!last_queued || !record)
		return;
	wait_ns = now > last_queued ? now - last_queued : 0;
	earlier = earlier_wait(next, wait_ns, now);
	throttled = throttled_of(next, cpu, slot, last_queued, now);
	is_told = wait_ns - throttled.ns >= SCHED_NEIGHBOR_NS && level < SCHED_LEVEL_NO_EVENTS &&
		  begin_event(cpu, slot, SCHED_EVENT_NOISY_NEIGHBOR, wait_ns - throttled.ns);
	record->unattributed_wait_ns +=
		earlier.migrated_ns + earlier.unseen_ns +
		blame_rest(state, cpu, slot, last_queued, wait_ns, &throttled, is_told);
	if (is_told)
		send_event(next, cpu, slot, wait_ns - throttled.ns, 0);
	if (throttled.ns >= SCHED_THROTTLED_NS && level < SCHED_LEVEL_NO_EVENTS &&
	    begin_event(cpu, slot, SCHED_EVENT_THROTTLING, throttled.ns))
		send_event(next, cpu, slot, throttled.ns, throttled.is_own);
	wait_ns += earlier.migrated_ns;
	record->wait_ns += wait_ns + earlier.unseen_ns;
	record->migrated_wait_ns += earlier.migrated_ns;
	wait_ns += earlier.counted_ns; /* by length it is one wait */
	if (wait_ns > record->max_wait_ns)
		record->max_wait_ns = wait_ns;
	count_in_bucket(record, wait_ns, 1);
	if (throttled.ns) {
		count_throttled(record, &throttled);
		shift_bucket(slot, wait_ns, wait_ns - throttled.ns);
	}
	if (earlier.unseen_runs) /* nearly always one, which makes the mean exact */
		count_in_bucket(record, earlier.unseen_ns / earlier.unseen_runs,
				earlier.unseen_runs);
}

/*
 * A switch raised no event: who came in last ran until prev came, and prev's wait ended
 * then. `quota` is its throttled part << 2, with two bits of how. A global function:
 * some kernels keep a few tasks out of tracing, so this is rare.
 */
__noinline int count_unseen(__u32 cpu, __u32 slot, __u64 ended, __u64 wait_ns, __u64 quota)
{
	const __u64 from = ended - wait_ns;
	const struct throttled throttled = {
		.ns = quota >> 2,
		.until = from + (quota >> 2),
		.is_own = quota & 1,
		.is_inside = quota >> 1 & 1,
	};
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct sched_record *record = record_of(cpu, slot);

	if (!state || !record || throttled.ns > wait_ns)
		return 0;
	record->unattributed_wait_ns += blame_run(state, cpu, slot, ended - wait_ns + throttled.ns,
						  wait_ns - throttled.ns, 0);
	record->wait_ns += wait_ns;
	count_throttled(record, &throttled);
	return 0;
}

static __always_inline void count_arrival(const struct task_struct *prev, __u32 slot,
					  struct sched_cpu *state, __u32 cpu)
{
	const __u64 arrived = prev->sched_info.last_arrival;
	struct sched_record *record = record_of(cpu, slot);
	struct throttled throttled;
	__u64 counted_ns, wait_ns;

	log_run(state, cpu, state->running_slot, arrived);
	wait_ns = wait_until_unseen(prev, &counted_ns);
	if (!wait_ns || wait_ns > arrived || !record)
		return;
	throttled = throttled_of(prev, cpu, slot, arrived - wait_ns, arrived);
	count_unseen(cpu, slot, arrived, wait_ns,
		     throttled.ns << 2 | throttled.is_inside << 1 | throttled.is_own);
	wait_ns += counted_ns;
	if (wait_ns > record->max_wait_ns)
		record->max_wait_ns = wait_ns;
	count_in_bucket(record, wait_ns, 1);
	if (throttled.ns)
		shift_bucket(slot, wait_ns, wait_ns - throttled.ns);
}

static __always_inline void count_ran(const struct task_struct *task, struct sched_record *record,
				      const struct sched_cpu *cpu, __u64 now)
{
	__u64 since = task->sched_info.last_arrival;

	if (since < cpu->folded_at)
		since = cpu->folded_at;
	if (now > since)
		record->ran_ns += now - since;
}

/* Blocked tasks may stay on the queue since 6.12; on_rq needs no argument that moved in 5.18. */
static __always_inline bool is_runnable(const struct task_struct *prev)
{
	if (prev->on_rq != 1)
		return false;
	return !bpf_core_field_exists(prev->se.sched_delayed) || !prev->se.sched_delayed;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const __u64 now = prev->se.cfs_rq->rq->clock;
	const __u32 prev_slot = prev->pid ? cgroup_slot(prev) : SLOT_IDLE;
	const __u32 next_slot = next->pid ? cgroup_slot(next) : SLOT_IDLE;
	__u32 cpu = bpf_get_smp_processor_id();
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct sched_record *record;

	if (!state)
		return 0;
	state->runs++;
	if (prev->pid && came_unseen(state, prev->sched_info.last_arrival, now))
		count_arrival(prev, prev_slot, state, cpu);
	extend_timeline(state, cpu, prev_slot, now);
	state->running_slot = next_slot;
	if (state->position - state->recent_position >= SCHED_RECENT_RUNS)
		take_checkpoint(cpu);
	if (next_slot != SLOT_IDLE)
		count_wait(next, next_slot, state, cpu, now);
	if (next_slot == SLOT_OVERFLOW)
		state->overflow_runs++;
	if (prev_slot == SLOT_IDLE)
		return 0;
	record = record_of(cpu, prev_slot);
	if (!record)
		return 0;
	count_ran(prev, record, state, now);
	if (!is_runnable(prev))
		return 0;
	if (is_throttled(prev))
		count_throttled_out(prev, cpu, prev_slot, now);
	else if (next_slot != SLOT_IDLE)
		count_preemption(cpu, prev_slot, next_slot);
	return 0;
}

/*
 * A task leaves its queue for another CPU's in the middle of a wait: what it waited so far
 * is counted now, against the timeline of the CPU that it leaves. That run queue is locked,
 * so nothing else writes there.
 */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	const struct rq *rq = task->se.cfs_rq->rq;
	const __u64 now = rq->clock;
	__u32 cpu = bpf_get_smp_processor_id(), lane = (__u32)rq->cpu;
	const struct sched_cpu *timeline = bpf_map_lookup_elem(&cpus, &lane);
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct throttled throttled;
	struct sched_record *record;
	__u64 waited_ns;
	__u32 slot;

	if (task->on_rq != ON_RQ_MIGRATING || !timeline || !state)
		return 0;
	waited_ns = wait_until_migration(task);
	slot = cgroup_slot(task);
	record = record_of(cpu, slot);
	if (!waited_ns || !record)
		return 0;
	throttled = throttled_of(task, lane, slot, now - waited_ns, now);
	if (bpf_core_field_exists(task->throttled) && task->throttled) {
		throttled.ns = waited_ns;
		throttled.is_own = BPF_CORE_READ_BITFIELD(task->se.cfs_rq, throttled);
	}
	state->migrations++;
	record->wait_ns += waited_ns;
	record->migrated_wait_ns += waited_ns;
	if (throttled.ns)
		count_throttled(record, &throttled);
	record->unattributed_wait_ns +=
		blame_until(timeline, lane, cpu, slot, now, waited_ns, &throttled);
	return 0;
}

/*
 * Run by user space on every CPU before a read, so that a task that never gives up its CPU
 * is seen to run. Nothing else writes this CPU's rows meanwhile: it comes by interrupt, and
 * interrupts are off during a switch.
 */
SEC("raw_tp")
int fold_running(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 now = task->se.cfs_rq->rq->clock;
	__u32 cpu = bpf_get_smp_processor_id();
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct sched_record *record;

	if (!state)
		return 0;
	if (task->pid) {
		record = record_of(cpu, cgroup_slot(task));
		if (record)
			count_ran(task, record, state, now);
	}
	state->folded_at = now;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
