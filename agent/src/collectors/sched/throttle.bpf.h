#pragma once

/*
 * Which part of a wait a CFS quota is to blame for. The kernel keeps, per run queue of a
 * cgroup on a CPU (and so per record of ours), how long its tasks were held back in all; a
 * throttled span is a step of that account. It begins when a task is switched out for it,
 * which we see, and its length is the step.
 */
#include "collectors/kernel_types.bpf.h"
#include "collectors/sched/records.bpf.h"

ROWS_PER_CPU(throttles, struct sched_throttle);

/* By slot; shared by all CPUs, atomic: throttled waits are rare. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized to the number of slots */
	__type(key, __u32);
	__type(value, struct sched_shift);
} runq_shifts SEC(".maps");

/* What a quota took from one wait. */
struct throttled {
	__u64 ns;
	__u64 until; /* rq clock from where on it waited for a CPU */
	__u32 is_own;
	__u32 is_inside; /* not until then, but somewhere in the wait */
};

/* Since 6.6 by the run queue's clock; before that by one that runs slower on a slowed CPU. */
static __always_inline __u64 throttled_total(const struct cfs_rq *cfs_rq)
{
	if (bpf_core_field_exists(cfs_rq->throttled_clock_self_time))
		return cfs_rq->throttled_clock_self_time;
	if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time))
		return cfs_rq->throttled_clock_pelt_time;
	return 0;
}

static __always_inline bool is_throttled(const struct task_struct *prev)
{
	if (bpf_core_field_exists(prev->throttled))
		return prev->throttled;
	if (!bpf_core_field_exists(prev->se.cfs_rq->throttle_count))
		return false;
	return prev->prio >= 100 && prev->se.cfs_rq->throttle_count > 0; /* CFS only */
}

static __always_inline struct sched_throttle *throttle_of(__u32 cpu, __u32 slot)
{
	__u32 index = cpu * n_slots + slot;

	return bpf_map_lookup_elem(&throttles, &index);
}

#define IS_BY_TASK bpf_core_field_exists(((struct task_struct *)0)->throttled) /* since 6.18 */

/*
 * Turns a step of the account since it was last looked at into a span, which ended at
 * `ended`, if that is not 0. A first look that finds more than fits into the wait at hand
 * finds a past that we did not see.
 */
static __always_inline void close_span(struct sched_throttle *throttle, __u64 total, __u64 from,
				       __u64 now, __u64 ended)
{
	const __u64 step = total - throttle->total;
	const __u32 at = throttle->n_spans % SCHED_THROTTLED_SPANS;
	const bool is_past = !throttle->open_since && (!throttle->total || total < throttle->total);
	__u64 begin = throttle->open_since;

	if (!step)
		return;
	if (!begin)
		begin = ended > step ? ended - step : from;
	if (!is_past || step <= now - from) {
		throttle->spans[at].begin = begin;
		throttle->spans[at].end = begin + step < now ? begin + step : now;
		throttle->is_own[at] = throttle->open_is_own;
		throttle->n_spans++;
	}
	throttle->total = total;
	throttle->open_since = 0;
}

/*
 * Where whole queues are throttled, that may begin and end while none of the cgroup's tasks
 * gets or leaves the CPU. The kernel keeps when the newest span began, by the PELT clock:
 * its distance to that clock's present is little wrong even where the clock runs slower.
 */
static __noinline int look_at_queue(const struct cfs_rq *cfs_rq, __u32 cpu, __u32 slot, __u64 from,
				    __u64 now)
{
	struct sched_throttle *throttle = throttle_of(cpu, slot);
	const struct rq *rq = cfs_rq->rq;
	const __u64 total = throttled_total(cfs_rq), pelt_total = cfs_rq->throttled_clock_pelt_time;
	const __u64 begun_ago = rq->clock_pelt - rq->lost_idle_time - cfs_rq->throttled_clock_pelt;
	const __u64 begun = now - begun_ago;
	const bool is_open = cfs_rq->throttle_count > 0;
	__u64 ended = 0;

	if (!throttle || begun_ago > now)
		return 0;
	if (!throttle->open_since)
		throttle->open_is_own = cfs_rq->runtime_enabled != 0;
	if (!is_open && throttle->pelt_total)
		ended = begun + (pelt_total - throttle->pelt_total);
	if (ended > now)
		ended = now;
	close_span(throttle, total, from, now, ended);
	throttle->total = total;
	throttle->pelt_total = pelt_total;
	if (!is_open)
		throttle->open_since = 0;
	else if (!throttle->open_since)
		throttle->open_since = begun;
	return 0;
}

/* A task of the slot was switched out because of a quota: its own cgroup's or one above. */
__noinline int throttled_out(__u32 cpu, __u32 slot, __u64 total, __u64 since, __u32 is_own)
{
	struct sched_throttle *throttle = throttle_of(cpu, slot);

	if (!throttle)
		return 0;
	throttle->throttled_out++;
	throttle->open_is_own = is_own;
	if (!IS_BY_TASK)
		return 0;
	if (throttle->open_since)
		close_span(throttle, total, since, since, 0);
	if (!throttle->open_since)
		throttle->open_since = since;
	throttle->total = total;
	return 0;
}

static __always_inline void count_throttled_out(const struct task_struct *prev, __u32 cpu,
						__u32 slot, __u64 now)
{
	const struct cfs_rq *cfs_rq = prev->se.cfs_rq;
	__u64 since = now;

	if (!IS_BY_TASK && bpf_core_field_exists(cfs_rq->throttled_clock_pelt))
		look_at_queue(cfs_rq, cpu, slot, now, now);
	else if (bpf_core_field_exists(cfs_rq->throttled_clock_self) &&
		 cfs_rq->throttled_clock_self)
		since = cfs_rq->throttled_clock_self;
	throttled_out(cpu, slot, throttled_total(cfs_rq), since,
		      BPF_CORE_READ_BITFIELD(cfs_rq, throttled));
}

/* How long of [from, to] the queue of the slot was throttled whole, << 1, and by an own quota. */
__noinline __u64 throttled_between(__u32 cpu, __u32 slot, __u64 from, __u64 to)
{
	const struct sched_throttle *throttle = throttle_of(cpu, slot);
	__u64 ns = 0, is_own = 0;

	if (!throttle || IS_BY_TASK)
		return 0;
	for (__u32 at = 0; at <= SCHED_THROTTLED_SPANS; at++) {
		const bool is_open = at == SCHED_THROTTLED_SPANS;
		__u64 begin = is_open ? throttle->open_since
				      : throttle->spans[at % SCHED_THROTTLED_SPANS].begin;
		__u64 end = is_open && begin ? to : throttle->spans[at % SCHED_THROTTLED_SPANS].end;

		if (begin < from)
			begin = from;
		if (end > to)
			end = to;
		if (begin >= end || (is_open && !throttle->open_since))
			continue;
		ns += end - begin;
		is_own = is_open ? throttle->open_is_own
				 : throttle->is_own[at % SCHED_THROTTLED_SPANS];
	}
	return ns << 1 | !!is_own;
}

/*
 * Since 6.18 only a task that was switched out for it is held back: the span that its wait
 * begins in.
 */
__noinline __u64 throttled_at_first(__u32 cpu, __u32 slot, __u64 total, __u64 from, __u64 now)
{
	struct sched_throttle *throttle = throttle_of(cpu, slot);
	__u64 ns = 0, is_own = 0;

	if (!throttle || now <= from)
		return 0;
	close_span(throttle, total, from, now, 0);
	for (__u32 at = 0; at < SCHED_THROTTLED_SPANS; at++) {
		const __u64 begin = throttle->spans[at].begin;
		const __u64 end = throttle->spans[at].end < now ? throttle->spans[at].end : now;

		if (begin > from || end <= from)
			continue;
		ns += end - from;
		is_own = throttle->is_own[at];
	}
	return (ns < now - from ? ns : now - from) << 1 | !!is_own;
}

static __always_inline struct throttled throttled_of(const struct task_struct *next, __u32 cpu,
						     __u32 slot, __u64 from, __u64 now)
{
	const struct cfs_rq *cfs_rq = next->se.cfs_rq;
	const __u64 total = throttled_total(cfs_rq);
	struct throttled throttled = {.until = from};
	__u64 part;

	if (!total) /* never throttled here: all cgroups without a quota end here */
		return throttled;
	if (!IS_BY_TASK && bpf_core_field_exists(cfs_rq->throttled_clock_pelt)) {
		look_at_queue(cfs_rq, cpu, slot, from, now);
		part = throttled_between(cpu, slot, from, now);
	} else {
		part = throttled_at_first(cpu, slot, total, from, now);
	}
	throttled.ns = part >> 1;
	throttled.is_own = part & 1;
	throttled.until = from + throttled.ns;
	throttled.is_inside =
		!IS_BY_TASK && part && throttled_between(cpu, slot, from, throttled.until) != part;
	return throttled;
}

/* Moves the wait to where it would be in a histogram without the throttled part. */
static __always_inline void shift_bucket(__u32 slot, __u64 from_ns, __u64 to_ns)
{
	struct sched_shift *shift = bpf_map_lookup_elem(&runq_shifts, &slot);
	__u32 from = hist_bucket(from_ns), to = hist_bucket(to_ns);

	barrier_var(from);
	barrier_var(to);
	if (!shift || from >= RUNQ_BUCKETS || to >= RUNQ_BUCKETS || from == to)
		return;
	__sync_fetch_and_add(&shift->runq[to], 1);
	__sync_fetch_and_add(&shift->runq[from], -1);
}
