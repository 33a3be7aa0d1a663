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
#include "collectors/sched/sched_record.h"

const volatile __u32 n_slots = 1;

/*
 * Plain arrays with a row per CPU and not per-CPU maps: their lookup is inlined on every
 * kernel, and user space reads them through mmap without a system call or a copy.
 */
#define ROWS_PER_CPU(name, row)                                            \
	struct {                                                           \
		__uint(type, BPF_MAP_TYPE_ARRAY);                          \
		__uint(map_flags, BPF_F_MMAPABLE);                         \
		__uint(max_entries, 1); /* resized to the possible CPUs */ \
		__type(key, __u32);                                        \
		__type(value, row);                                        \
	} name SEC(".maps")

ROWS_PER_CPU(records, struct sched_record);
ROWS_PER_CPU(pairs, struct sched_pair_set);
ROWS_PER_CPU(cpus, struct sched_cpu);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_SPILLED_PAIRS);
	__type(key, __u32);
	__type(value, __u64);
} pairs_spilled SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SCHED_SEEN_CELLS);
	__type(key, __u32);
	__type(value, __u64);
} last_seen SEC(".maps");

static __always_inline struct sched_record *record_of(__u32 cpu, __u32 slot)
{
	__u32 index = cpu * n_slots + slot;

	return bpf_map_lookup_elem(&records, &index);
}

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

static __always_inline void count_in_bucket(struct sched_record *record, __u64 ns, __u32 count)
{
	__u32 bucket = hist_bucket(ns);

	barrier_var(bucket); /* the verifier must see the check that the compiler proves away */
	if (bucket < RUNQ_BUCKETS)
		record->runq[bucket] += count;
}

static __always_inline void count_wait(const struct task_struct *next, struct sched_record *record,
				       __u64 now)
{
	const __u64 last_queued = next->sched_info.last_queued;
	struct earlier_wait earlier;
	__u64 wait_ns;

	if (!last_queued)
		return;
	wait_ns = now > last_queued ? now - last_queued : 0;
	earlier = earlier_wait(next, wait_ns, now);
	wait_ns += earlier.migrated_ns;
	record->wait_ns += wait_ns + earlier.unseen_ns;
	record->migrated_wait_ns += earlier.migrated_ns;
	count_in_bucket(record, wait_ns, 1);
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

static __always_inline bool is_throttled(const struct task_struct *prev)
{
	if (bpf_core_field_exists(prev->throttled))
		return prev->throttled;
	if (!bpf_core_field_exists(prev->se.cfs_rq->throttle_count))
		return false;
	return prev->prio >= 100 && prev->se.cfs_rq->throttle_count > 0; /* CFS only */
}

static __noinline int spill_pair(__u32 key)
{
	__u64 one = 1, *count;

	/* A second round for the CPU that lost the race to insert. */
	for (int i = 0; i < 2; i++) {
		count = bpf_map_lookup_elem(&pairs_spilled, &key);
		if (count) {
			__sync_fetch_and_add(count, 1);
			return 0;
		}
		if (!bpf_map_update_elem(&pairs_spilled, &key, &one, BPF_NOEXIST))
			return 0;
	}
	return -1;
}

static __always_inline void count_preemption(struct sched_cpu *state, __u32 cpu, __u32 prev_slot,
					     __u32 next_slot)
{
	__u32 index = cpu * SCHED_PAIR_SETS + (prev_slot * 167 + next_slot * 7) % SCHED_PAIR_SETS;
	const __u32 key = prev_slot << 16 | next_slot;
	struct sched_pair_set *set = bpf_map_lookup_elem(&pairs, &index);

	if (!set)
		return;
#pragma unroll
	for (int i = 0; i < SCHED_PAIR_WAYS; i++) {
		if (set->pairs[i].key == key) {
			set->pairs[i].count++;
			return;
		}
	}
	/* Only now the empty ones: user space clears cells of the dead anywhere in the set. */
#pragma unroll
	for (int i = 0; i < SCHED_PAIR_WAYS; i++) {
		if (!set->pairs[i].key) {
			set->pairs[i].count = 1;
			barrier();
			set->pairs[i].key = key;
			return;
		}
	}
	if (spill_pair(key))
		state->lost_pairs++;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const __u64 now = prev->se.cfs_rq->rq->clock;
	__u32 cpu = bpf_get_smp_processor_id();
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	__u32 prev_slot = SLOT_NONE, next_slot = SLOT_NONE;
	struct sched_record *record;

	if (!state)
		return 0;
	if (next->pid) { /* 0 is idle, which neither waits nor preempts */
		next_slot = cgroup_slot(next);
		record = record_of(cpu, next_slot);
		if (record)
			count_wait(next, record, now);
		if (next_slot == SLOT_OVERFLOW)
			state->overflow_runs++;
	}
	if (!prev->pid)
		return 0;
	prev_slot = cgroup_slot(prev);
	record = record_of(cpu, prev_slot);
	if (!record)
		return 0;
	count_ran(prev, record, state, now);
	if (!is_runnable(prev))
		return 0;
	if (is_throttled(prev))
		record->throttled_out++;
	else if (next_slot != SLOT_NONE)
		count_preemption(state, cpu, prev_slot, next_slot);
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
