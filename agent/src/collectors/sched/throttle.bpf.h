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

/*
 * Turns a step of the account since it was last looked at into a span. A first look that
 * finds more than fits into the wait at hand finds a past that we did not see.
 */
static __always_inline void close_span(struct sched_throttle *throttle, __u64 total, __u64 from,
				       __u64 now)
{
	const __u64 step = total - throttle->total;
	const __u64 begin = throttle->open_since ? throttle->open_since : from;
	const __u32 at = throttle->n_spans % SCHED_THROTTLED_SPANS;
	const bool is_past = !throttle->open_since && (!throttle->total || total < throttle->total);

	if (!step)
		return;
	if (!is_past || step <= now - from) {
		throttle->spans[at].begin = begin;
		throttle->spans[at].end = begin + step < now ? begin + step : now;
		throttle->spans[at].is_own = throttle->open_is_own;
		throttle->n_spans++;
	}
	throttle->total = total;
	throttle->open_since = 0;
}

/* A task of the slot was switched out because of a quota: its own cgroup's or one above. */
__noinline int throttled_out(__u32 cpu, __u32 slot, __u64 total, __u64 since, __u32 is_own)
{
	struct sched_throttle *throttle = throttle_of(cpu, slot);
	struct sched_record *record = record_of(cpu, slot);

	if (!throttle || !record)
		return 0;
	record->throttled_out++;
	if (throttle->open_since)
		close_span(throttle, total, since, since);
	if (!throttle->open_since)
		throttle->open_since = since;
	throttle->total = total;
	throttle->open_is_own = is_own;
	return 0;
}

static __always_inline void count_throttled_out(const struct task_struct *prev, __u32 cpu,
						__u32 slot, __u64 now)
{
	const struct cfs_rq *cfs_rq = prev->se.cfs_rq;
	__u64 since = now;

	if (bpf_core_field_exists(cfs_rq->throttled_clock_self) && cfs_rq->throttled_clock_self)
		since = cfs_rq->throttled_clock_self;
	throttled_out(cpu, slot, throttled_total(cfs_rq), since,
		      BPF_CORE_READ_BITFIELD(cfs_rq, throttled));
}

/*
 * Since 6.18 only a task that was switched out for it is held back: the span that its wait
 * begins in. Before that the whole queue was, so that every overlap counts; then the rest
 * of the wait is taken to be its end.
 */
static __always_inline void overlap(const struct sched_throttle *throttle, __u32 at, __u64 from,
				    __u64 now, bool is_by_task, struct throttled *ret)
{
	__u64 begin = throttle->spans[at].begin, end = throttle->spans[at].end;

	if (end > now)
		end = now;
	if (end <= from || begin >= end || (is_by_task && begin > from))
		return;
	if (begin < from)
		begin = from;
	ret->ns += end - begin;
	ret->is_own = throttle->spans[at].is_own;
}

__noinline __u64 throttled_part(__u32 cpu, __u32 slot, __u64 total, __u64 from, __u64 now)
{
	struct sched_throttle *throttle = throttle_of(cpu, slot);
	struct throttled throttled = {};

	if (!throttle || now <= from)
		return 0;
	close_span(throttle, total, from, now);
	for (__u32 at = 0; at < SCHED_THROTTLED_SPANS; at++)
		overlap(throttle, at, from, now,
			bpf_core_field_exists(((struct task_struct *)0)->throttled), &throttled);
	if (throttled.ns > now - from)
		throttled.ns = now - from;
	return throttled.ns << 1 | !!throttled.is_own;
}

static __always_inline struct throttled throttled_of(const struct task_struct *next, __u32 cpu,
						     __u32 slot, __u64 from, __u64 now)
{
	const __u64 total = throttled_total(next->se.cfs_rq);
	struct throttled throttled = {.until = from};
	__u64 part;

	if (!total) /* never throttled here: all cgroups without a quota end here */
		return throttled;
	part = throttled_part(cpu, slot, total, from, now);
	throttled.ns = part >> 1;
	throttled.is_own = part & 1;
	throttled.until = from + throttled.ns;
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
