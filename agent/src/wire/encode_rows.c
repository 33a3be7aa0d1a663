#include <string.h>

#include "wire/encode_builder.h"

typedef Neighborwatch__V1__CgroupWindow pb_cgroup;
typedef Neighborwatch__V1__SchedWindow pb_sched;
typedef Neighborwatch__V1__CpuStatWindow pb_cpu_stat;
typedef Neighborwatch__V1__QuotaWindow pb_quota;

/* Returns how many buckets hold something, and their numbers and counts; 0 when out of memory. */
static size_t build_histogram(struct builder *builder, const uint32_t from[RUNQ_BUCKETS],
			      uint32_t **ret_buckets, uint64_t **ret_counts)
{
	uint32_t *buckets;
	uint64_t *counts;
	size_t n = 0;

	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++)
		n += from[i] != 0;
	buckets = builder_alloc(builder, n, sizeof(*buckets));
	counts = builder_alloc(builder, n, sizeof(*counts));
	if (!buckets || !counts)
		return 0;
	n = 0;
	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++) {
		if (!from[i])
			continue;
		buckets[n] = i;
		counts[n++] = from[i];
	}
	*ret_buckets = buckets;
	*ret_counts = counts;
	return n;
}

static void build_histograms(struct builder *builder, const struct sched_counters *from,
			     pb_sched *to)
{
	to->n_runq_bucket = to->n_runq_count =
		build_histogram(builder, from->runq, &to->runq_bucket, &to->runq_count);
	if (memcmp(from->runq, from->runq_unthrottled, sizeof(from->runq)) == 0)
		return;
	to->n_runq_unthrottled_bucket = to->n_runq_unthrottled_count =
		build_histogram(builder, from->runq_unthrottled, &to->runq_unthrottled_bucket,
				&to->runq_unthrottled_count);
}

static pb_sched *build_sched(struct builder *builder, const struct window_row *row)
{
	pb_sched *sched = builder_alloc(builder, 1, sizeof(*sched));

	if (!sched)
		return NULL;
	*sched = (pb_sched)NEIGHBORWATCH__V1__SCHED_WINDOW__INIT;
	sched->ran_ns = row->sched.ran_ns;
	sched->wait_ns = row->sched.wait_ns;
	sched->wait_count = row->sched.wait_count;
	sched->migrated_wait_ns = row->sched.migrated_wait_ns;
	sched->throttled_out = row->sched.throttled_out;
	sched->preempted_self = row->preempted_self;
	sched->preempted_other = row->preempted_other;
	sched->preempted_system = row->preempted_system;
	sched->self_wait_ns = row->self_wait_ns;
	sched->neighbor_wait_ns = row->neighbor_wait_ns;
	sched->system_wait_ns = row->system_wait_ns;
	sched->throttled_own_wait_ns = row->sched.throttled_own_wait_ns;
	sched->throttled_ancestor_wait_ns = row->sched.throttled_ancestor_wait_ns;
	sched->idle_gap_wait_ns = row->sched.idle_gap_wait_ns;
	sched->unattributed_wait_ns = row->sched.unattributed_wait_ns;
	sched->max_wait_ns = row->sched.max_wait_ns;
	build_histograms(builder, &row->sched, sched);
	return sched;
}

static pb_cpu_stat *build_cpu_stat(struct builder *builder, const struct window_row *row)
{
	pb_cpu_stat *stat = builder_alloc(builder, 1, sizeof(*stat));

	if (!stat)
		return NULL;
	*stat = (pb_cpu_stat)NEIGHBORWATCH__V1__CPU_STAT_WINDOW__INIT;
	stat->usage_ns = row->usage_ns;
	stat->user_ns = row->user_ns;
	stat->system_ns = row->system_ns;
	return stat;
}

static void build_quotas(struct builder *builder, const struct window_row *row, pb_cgroup *to)
{
	size_t n = row->n_quotas;
	const pb_quota initial = NEIGHBORWATCH__V1__QUOTA_WINDOW__INIT;
	pb_quota **quotas = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++) {
		const struct window_quota *from = &row->quotas[i];

		quotas[i]->cgroup_path = builder_text(builder, from->cgroup_path);
		quotas[i]->own = from->own;
		quotas[i]->quota_us = from->quota_us;
		quotas[i]->period_us = from->period_us;
		quotas[i]->burst_us = from->burst_us;
		quotas[i]->nr_periods = from->nr_periods;
		quotas[i]->nr_throttled = from->nr_throttled;
		quotas[i]->throttled_ns = from->throttled_ns;
	}
	to->quotas = quotas;
	to->n_quotas = n;
}

void encode_rows(struct builder *builder, const struct window *window, Neighborwatch__V1__Batch *to)
{
	size_t n = window->n_rows;
	const pb_cgroup initial = NEIGHBORWATCH__V1__CGROUP_WINDOW__INIT;
	pb_cgroup **rows = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++) {
		const struct window_row *row = &window->rows[i];

		rows[i]->container_id = row->container_id;
		rows[i]->cpus_allowed = row->cpus_allowed;
		if (row->has & CGROUP_HAS_SCHED)
			rows[i]->sched = build_sched(builder, row);
		if (row->has & CGROUP_HAS_USAGE)
			rows[i]->cpu_stat = build_cpu_stat(builder, row);
		build_quotas(builder, row, rows[i]);
	}
	to->cgroups = rows;
	to->n_cgroups = n;
}
