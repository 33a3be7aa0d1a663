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
#include "collectors/sched/blame.bpf.h"
#include "collectors/sched/sched_record.h"
#include "collectors/sched/throttle.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SCHED_SEEN_CELLS);
	__type(key, __u32);
	__type(value, __u64);
} last_seen SEC(".maps");

/* What run_delay gained since the task was last seen to get a CPU. */
struct earlier_wait {
	__u64 migrated_ns; /* part of the wait that ends now, on other CPUs */
	__u64 unseen_ns;   /* waits that ended without an event */
	__u32 unseen_runs;
};

/*
 * More than this is no missed event but another task's cell: an exec by a thread takes over
 * its leader's pid.
 */
#define UNSEEN_MAX_RUNS 64
#define UNSEEN_MAX_NS	60000000000

/*
 * A dequeue for migration adds the wait so far to run_delay and clears last_queued, so what
 * run_delay gained since is the part waited elsewhere. But if pcount moved on by more than
 * one, the task got a CPU without an event (kernels may keep some tasks out of tracing; a
 * missed event on any), and the gain is that wait, too: so the sum stays what the kernel
 * counts. Nothing is known when another pid took the task's cell meanwhile.
 */
static __always_inline struct earlier_wait earlier_wait(const struct task_struct *next,
							__u64 wait_ns, __u64 now)
{
	const __u64 run_delay = next->sched_info.run_delay, pcount = next->sched_info.pcount;
	/* An odd multiplier permutes; this one spreads neighbouring threads over cache lines. */
	const __u32 spread = (__u32)next->pid * 2654435761U & ((1U << SCHED_SEEN_PID_BITS) - 1);
	const __u64 tag = spread & ((1U << SCHED_SEEN_TAG_BITS) - 1);
	__u32 index = spread >> SCHED_SEEN_TAG_BITS;
	__u64 *cell = bpf_map_lookup_elem(&last_seen, &index);
	struct earlier_wait earlier = {};
	__u64 before, gained;
	__u32 unseen;

	if (!cell)
		return earlier;
	before = *cell;
	*cell = tag << (64 - SCHED_SEEN_TAG_BITS) |
		(pcount & SCHED_SEEN_COUNT_MASK) << SCHED_SEEN_COUNT_SHIFT |
		((run_delay + wait_ns) & SCHED_SEEN_DELAY_MASK);

	if (pcount == 0) { /* never ran: all of it since fork */
		earlier.migrated_ns = run_delay;
		return earlier;
	}
	if (!before || before >> (64 - SCHED_SEEN_TAG_BITS) != tag)
		return earlier;
	gained = (run_delay - before) & SCHED_SEEN_DELAY_MASK;
	unseen = (pcount - 1 - (before >> SCHED_SEEN_COUNT_SHIFT)) & SCHED_SEEN_COUNT_MASK;
	if (unseen == 0) {
		if (gained + wait_ns <= now - next->sched_info.last_arrival)
			earlier.migrated_ns = gained;
	} else if (unseen <= UNSEEN_MAX_RUNS && gained <= UNSEEN_MAX_NS) {
		earlier.unseen_ns = gained;
		earlier.unseen_runs = unseen;
	}
	return earlier;
}

/*
 * Most waits lie under one run, the newest: it is charged here. Everything else is walked.
 * Returns how much is nobody's.
 */
static __always_inline __u64 blame_run(struct sched_cpu *state, __u32 cpu, __u32 waiter, __u64 from,
				       __u64 ns)
{
	struct sched_log *log = bpf_map_lookup_elem(&run_logs, &cpu);

	if (!log || !ns)
		return ns;
	if (log->entries[(state->position - 2) % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS > from >>
		    SCHED_TICK_SHIFT ||
	    state->began_tick > from >> SCHED_TICK_SHIFT)
		return blame_wait(cpu, cpu, waiter, from, ns);
	state->charges++;
	return charge_run(cpu, waiter, state->newest, ns);
}

static __always_inline void count_throttled(struct sched_record *record, __u32 slot,
					    const struct throttled *throttled, __u64 wait_ns)
{
	if (throttled->is_own)
		record->throttled_own_wait_ns += throttled->ns;
	else
		record->throttled_ancestor_wait_ns += throttled->ns;
	shift_bucket(slot, wait_ns, wait_ns - throttled->ns);
}

static __always_inline void count_wait(const struct task_struct *next, __u32 slot,
				       struct sched_cpu *state, __u32 cpu, __u64 now)
{
	const __u64 last_queued = next->sched_info.last_queued;
	struct sched_record *record = record_of(cpu, slot);
	struct earlier_wait earlier;
	struct throttled throttled;
	__u64 wait_ns;

	if (!last_queued || !record)
		return;
	wait_ns = now > last_queued ? now - last_queued : 0;
	earlier = earlier_wait(next, wait_ns, now);
	throttled = throttled_of(next, cpu, slot, last_queued, now);
	record->unattributed_wait_ns +=
		earlier.migrated_ns + earlier.unseen_ns +
		blame_run(state, cpu, slot, throttled.until, wait_ns - throttled.ns);
	wait_ns += earlier.migrated_ns;
	record->wait_ns += wait_ns + earlier.unseen_ns;
	record->migrated_wait_ns += earlier.migrated_ns;
	if (wait_ns > record->max_wait_ns)
		record->max_wait_ns = wait_ns;
	count_in_bucket(record, wait_ns, 1);
	if (throttled.ns)
		count_throttled(record, slot, &throttled, wait_ns);
	if (earlier.unseen_runs) /* nearly always one, which makes the mean exact */
		count_in_bucket(record, earlier.unseen_ns / earlier.unseen_runs,
				earlier.unseen_runs);
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
	extend_timeline(state, cpu, prev_slot, prev->pid ? prev->sched_info.last_arrival : 0, now);
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
