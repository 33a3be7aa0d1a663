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

/* Counts cgroups that came or went, and slots taken back. */
__u32 generation;

/*
 * Most waits lie under one run, the newest: it is charged here. What was for more is noted,
 * and charged when the log is swept. Returns how much is nobody's.
 */
static __always_inline __u64 blame_run(struct sched_lane *lane, struct sched_record *record,
				       __u32 cpu, __u32 waiter, __u64 from, __u64 ns)
{
	if (level >= SCHED_LEVEL_NO_BLAME)
		return ns;
	if (lane->state.newest_began_tick > from >> SCHED_TICK_SHIFT) {
		if (level >= SCHED_LEVEL_NO_SHORT_WALKS && ns < SCHED_SHORT_WAIT_NS)
			return ns;
		return note_or_blame(lane, cpu, waiter, from, ns);
	}
	if (waiter != lane->state.newest)
		return charge_run(lane, cpu, waiter, lane->state.newest, ns);
	record->own_wait_ns += ns;
	return 0;
}

/* Of a wait from `from`, what no quota is to blame for. */
static __always_inline __u64 blame_rest(struct sched_lane *lane, struct sched_record *record,
					__u32 cpu, __u32 waiter, __u64 from, __u64 wait_ns,
					const struct throttled *throttled)
{
	const __u64 ns = wait_ns - throttled->ns;

	if (throttled->is_inside && level < SCHED_LEVEL_NO_SHORT_WALKS && log_reaches(lane, from))
		return blame_around(cpu, waiter, from, ns);
	return blame_run(lane, record, cpu, waiter, throttled->until, ns);
}

/*
 * The same for `ns` without the throttled part, on another CPU's queue; a part may lie after
 * the last switch there.
 */
static __always_inline __u64 blame_until(struct sched_lane *lane, __u32 cpu, __u32 waiter,
					 __u64 now, __u64 ns, const struct throttled *throttled)
{
	const struct sched_cpu *timeline = &lane->state;
	const __u64 logged_until = timeline->logged_until, from = now - ns - throttled->ns;
	const bool is_inside = throttled->is_inside && log_reaches(lane, from);
	__u64 open_ns = now > logged_until ? now - logged_until : 0;

	if (!timeline->position || !ns || level >= SCHED_LEVEL_NO_BLAME)
		return ns;
	if (is_inside)
		open_ns -= throttled_between(cpu, waiter, now - open_ns, now) >> 1;
	if (open_ns >= ns)
		return charge_run(lane, cpu, waiter, timeline->running_slot, ns);
	return charge_run(lane, cpu, waiter, timeline->running_slot, open_ns) +
	       (is_inside ? blame_around(cpu, waiter, from, ns - open_ns)
			  : blame_wait(cpu, waiter, now - ns, ns - open_ns));
}

static __always_inline void count_throttled(struct sched_record *record,
					    const struct throttled *throttled)
{
	if (throttled->is_own)
		record->throttled_own_wait_ns += throttled->ns;
	else
		record->throttled_ancestor_wait_ns += throttled->ns;
}

/* A wait that was long is told, if few were of late. */
static __always_inline void tell_wait(const struct task_struct *next, __u32 cpu, __u32 slot,
				      __u64 wait_ns, const struct throttled *throttled)
{
	const __u64 ns = wait_ns - throttled->ns;

	if (ns >= SCHED_NEIGHBOR_NS && begin_event(cpu, slot, SCHED_EVENT_NOISY_NEIGHBOR, ns)) {
		tell_shares(cpu, cpu, throttled->until);
		send_event(next, cpu, slot, ns, 0);
	}
	if (throttled->ns >= SCHED_THROTTLED_NS &&
	    begin_event(cpu, slot, SCHED_EVENT_THROTTLING, throttled->ns))
		send_event(next, cpu, slot, throttled->ns, throttled->is_own);
}

/* A wait of that length is a wait of the histogram. */
static __always_inline void count_length(struct sched_record *record, __u64 wait_ns)
{
	if (wait_ns > record->max_wait_ns)
		record->max_wait_ns = wait_ns;
	count_in_bucket(record, wait_ns, 1);
}

/* Of waits before the one that ends. Returns how much of them is one wait with it. */
static __always_inline __u64 count_earlier(const struct task_struct *next,
					   struct sched_record *record, struct sched_seen *cell,
					   __u64 wait_ns, __u64 now)
{
	const struct earlier_wait earlier = look_back(next, cell, wait_ns, now);

	record->unattributed_wait_ns += earlier.migrated_ns + earlier.unseen_ns;
	record->migrated_wait_ns += earlier.migrated_ns;
	if (earlier.unseen_runs) /* nearly always one, which makes the mean exact */
		count_in_bucket(record, earlier.unseen_ns / earlier.unseen_runs,
				earlier.unseen_runs);
	return earlier.migrated_ns + earlier.counted_ns;
}

static __always_inline void count_wait(const struct task_struct *next, __u32 slot,
				       struct sched_record *record, struct sched_lane *lane,
				       __u32 cpu, __u64 now)
{
	const __u64 last_queued = next->sched_info.last_queued, word = expected_word(next);
	struct sched_seen *cell = seen_cell(spread_pid(next));
	__u64 wait_ns, length_ns, nobodys_ns;
	struct throttled throttled;

	if (!last_queued || !cell)
		return;
	wait_ns = now > last_queued ? now - last_queued : 0;
	length_ns = wait_ns;
	if (!is_expected(cell, word))
		length_ns += count_earlier(next, record, cell, wait_ns, now);
	cell->word = seen_next(word, wait_ns);
	throttled = throttled_of(next, cpu, slot, last_queued, now);
	nobodys_ns = blame_rest(lane, record, cpu, slot, last_queued, wait_ns, &throttled);
	if (nobodys_ns)
		record->unattributed_wait_ns += nobodys_ns;
	count_length(record, length_ns);
	if (throttled.ns) {
		count_throttled(record, &throttled);
		shift_bucket(slot, length_ns, length_ns - throttled.ns);
	}
	if (wait_ns >= SCHED_NEIGHBOR_NS && level < SCHED_LEVEL_NO_EVENTS)
		tell_wait(next, cpu, slot, wait_ns, &throttled);
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
	struct sched_lane *lane = lane_of(cpu);
	struct sched_record *record = record_of(cpu, slot);

	if (!lane || !record || throttled.ns > wait_ns)
		return 0;
	record->unattributed_wait_ns +=
		blame_run(lane, record, cpu, slot, throttled.until, wait_ns - throttled.ns);
	count_throttled(record, &throttled);
	return 0;
}

static __always_inline void count_arrival(const struct task_struct *prev, __u32 slot,
					  struct sched_lane *lane, __u32 cpu)
{
	const __u64 arrived = prev->sched_info.last_arrival;
	struct sched_record *record = record_of(cpu, slot);
	struct throttled throttled;
	__u64 counted_ns, wait_ns;

	log_run(lane, lane->state.running_slot, arrived);
	wait_ns = wait_until_unseen(prev, &counted_ns);
	if (!wait_ns || wait_ns > arrived || !record)
		return;
	throttled = throttled_of(prev, cpu, slot, arrived - wait_ns, arrived);
	count_unseen(cpu, slot, arrived, wait_ns,
		     throttled.ns << 2 | throttled.is_inside << 1 | throttled.is_own);
	wait_ns += counted_ns;
	count_length(record, wait_ns);
	if (throttled.ns)
		shift_bucket(slot, wait_ns, wait_ns - throttled.ns);
}

/* Blocked tasks may stay on the queue since 6.12; on_rq needs no argument that moved in 5.18. */
static __always_inline bool is_runnable(const struct task_struct *prev)
{
	if (prev->on_rq != 1)
		return false;
	return !bpf_core_field_exists(prev->se.sched_delayed) || !prev->se.sched_delayed;
}

/* A slot that was just looked up, and for which queue. */
struct known_slot {
	__u64 queue;
	__u32 slot;
};

/* The verifier forbids to shift an address, but not to read one from a map. */
static __always_inline __u64 number_of(struct sched_lane *lane, const struct cfs_rq *queue)
{
	volatile __u64 *number = &lane->walk.address;

	*number = (__u64)queue;
	return *number;
}

/*
 * The way over the task's cgroup costs lines that nobody else has in the cache. Not for who
 * has no slot: it may get one.
 */
static __always_inline __u32 slot_of_queue(const struct task_struct *task, struct sched_lane *lane)
{
	const __u64 queue = number_of(lane, task->se.cfs_rq);
	const __u32 at = (__u32)(queue >> 6) * 2654435761U >> (32 - SCHED_QUEUE_BITS);
	struct sched_queue *known = &lane->queues[at];
	const __u32 now = generation;

	if (known->address == queue && known->generation == now)
		return known->slot;
	known->address = 0;
	known->slot = cgroup_slot(task);
	known->generation = now;
	if (known->slot != SLOT_OVERFLOW)
		known->address = queue;
	return known->slot;
}

/* Switches are often within a cgroup. Its queue's address means it, for its task is here. */
static __always_inline __u32 slot_of(const struct task_struct *task, struct sched_lane *lane,
				     struct known_slot *known)
{
	const __u64 queue = (__u64)task->se.cfs_rq;

	if (!task->pid)
		return SLOT_IDLE;
	if (queue != known->queue) {
		known->queue = queue;
		known->slot = slot_of_queue(task, lane);
	}
	return known->slot;
}

/* Prev has got the CPU back, or somebody else has. */
static __always_inline void count_prev(const struct task_struct *prev, __u32 slot, __u32 next_slot,
				       struct sched_lane *lane, __u32 cpu, __u64 now)
{
	if (!is_runnable(prev))
		return;
	if (is_throttled(prev))
		count_throttled_out(prev, cpu, slot, now);
	else if (next_slot != SLOT_IDLE)
		count_preemption(lane, cpu, slot, next_slot);
}

/* From one task to another of the cgroup that ran already, so the run goes on. */
static __always_inline bool is_within(const struct sched_cpu *state, const struct task_struct *prev,
				      const struct task_struct *next)
{
	const __u64 queue = (__u64)next->se.cfs_rq;

	return queue == state->running_queue && queue == (__u64)prev->se.cfs_rq &&
	       state->newest == state->running_slot && state->noted_position != state->position &&
	       prev->pid && next->pid;
}

/*
 * The same as for any switch, for the shortest and most frequent of them: prev sleeps, next
 * waited for it alone, and nothing else happened to either. False if something did.
 */
static __always_inline bool count_within(struct sched_lane *lane, const struct task_struct *prev,
					 const struct task_struct *next, __u32 cpu, __u64 now)
{
	struct sched_record *record = record_of(cpu, lane->state.newest);
	const __u64 last_queued = next->sched_info.last_queued, word = expected_word(next);
	struct sched_seen *cell = seen_cell(spread_pid(next));
	const __u64 wait_ns = now - last_queued;

	if (!record || !cell || now < lane->state.logged_until || now < last_queued ||
	    last_queued >> SCHED_TICK_SHIFT < lane->state.newest_began_tick)
		return false;
	if (wait_ns >= SCHED_NEIGHBOR_NS || level >= SCHED_LEVEL_NO_BLAME || is_runnable(prev) ||
	    came_unseen(&lane->state, prev->sched_info.last_arrival, now) ||
	    throttled_total(next->se.cfs_rq) || !is_expected(cell, word))
		return false;
	lane->state.logged_until = now;
	cell->word = seen_next(word, wait_ns);
	record->own_wait_ns += wait_ns;
	count_length(record, wait_ns);
	return true;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	const __u64 now = prev->se.cfs_rq->rq->clock;
	const __u32 cpu = bpf_get_smp_processor_id();
	struct sched_lane *lane = lane_of(cpu);
	struct sched_record *record = NULL;
	struct known_slot known;
	__u32 prev_slot, next_slot;
	struct sched_cpu *state;

	if (!lane)
		return 0;
	state = &lane->state;
	state->runs++;
	if (is_within(state, prev, next) && count_within(lane, prev, next, cpu, now))
		return 0;
	known.queue = state->running_queue;
	known.slot = state->running_slot;
	prev_slot = slot_of(prev, lane, &known);
	next_slot = slot_of(next, lane, &known);
	if (prev->pid && came_unseen(state, prev->sched_info.last_arrival, now))
		count_arrival(prev, prev_slot, lane, cpu);
	extend_timeline(lane, prev_slot, now);
	state->running_slot = next_slot;
	/* While nobody of the cgroup is here it may go; and who has no slot may get one. */
	state->running_queue =
		next_slot == SLOT_IDLE || next_slot == SLOT_OVERFLOW ? 0 : known.queue;
	if (sweep_is_due(state))
		sweep(cpu, SCHED_SWEEP_RUNS);
	if (next_slot != SLOT_IDLE) {
		record = record_of(cpu, next_slot);
		if (!record)
			return 0;
		count_wait(next, next_slot, record, lane, cpu, now);
	}
	if (next_slot == SLOT_OVERFLOW)
		state->overflow_runs++;
	if (prev_slot != SLOT_IDLE)
		count_prev(prev, prev_slot, next_slot, lane, cpu, now);
	return 0;
}

/*
 * A task leaves its queue for another CPU's in the middle of a wait: what it waited so far
 * is counted now, against the timeline of the CPU that it leaves. That run queue is locked,
 * so no switch writes there; a read may, and then the wait is nobody's.
 */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	const struct rq *rq = task->se.cfs_rq->rq;
	const __u64 now = rq->clock;
	__u32 cpu = bpf_get_smp_processor_id(), lane = (__u32)rq->cpu;
	struct sched_lane *left = lane_of(lane), *ours = lane_of(cpu);
	struct throttled throttled;
	struct sched_record *record;
	__u64 waited_ns;
	__u32 slot;

	if (task->on_rq != ON_RQ_MIGRATING || !left || !ours)
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
	ours->state.migrations++;
	record->migrated_wait_ns += waited_ns;
	if (throttled.ns)
		count_throttled(record, &throttled);
	waited_ns -= throttled.ns;
	if (begin_lane(left)) {
		waited_ns = blame_until(left, lane, slot, now, waited_ns, &throttled);
		end_lane(left);
	}
	record->unattributed_wait_ns += waited_ns;
	return 0;
}

/* By then none of its tasks has run; and at the end, none will. */
SEC("raw_tp/cgroup_mkdir")
int cgroup_came(void *ctx)
{
	__sync_fetch_and_add(&generation, 1);
	return 0;
}

SEC("raw_tp/cgroup_rmdir")
int cgroup_went(void *ctx)
{
	__sync_fetch_and_add(&generation, 1);
	return 0;
}

struct try_lane {
	struct sched_lane *lane;
	bool is_ours;
};

static long try_lane(__u32 step, void *context)
{
	struct try_lane *self = context;

	self->is_ours = begin_lane(self->lane);
	return self->is_ours;
}

/*
 * Run by user space on every CPU before a read, so that a task that never gives up its CPU
 * is seen to run, and waits are charged that were only noted. It comes by interrupt, and
 * interrupts are off during a switch: so no switch of this CPU writes to its rows meanwhile.
 * What a migration writes is soon done.
 */
SEC("raw_tp")
int fold_running(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 now = task->se.cfs_rq->rq->clock;
	__u32 cpu = bpf_get_smp_processor_id();
	struct try_lane try = {.lane = lane_of(cpu)};
	struct sched_lane *lane = try.lane;

	if (!lane)
		return 0;
	LOOP(LANE_TRIES, try_lane, &try);
	if (!try.is_ours)
		return 1;
	if (!came_unseen(&lane->state, task->sched_info.last_arrival, now)) /* that has time */
		extend_timeline(lane, task->pid ? cgroup_slot(task) : SLOT_IDLE, now);
	sweep(cpu, SCHED_LOG_ENTRIES);
	end_lane(lane);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
