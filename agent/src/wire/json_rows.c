#include <string.h>

#include "wire/json_build.h"

struct histogram_keys {
	const char *bucket, *below_ns, *count;
};

static int put_histogram(json_t *to, const uint32_t counts_of[RUNQ_BUCKETS],
			 const struct histogram_keys *keys)
{
	json_t *buckets = json_array(), *bounds = json_array(), *counts = json_array();
	int r = 0;

	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++) {
		if (!counts_of[i])
			continue;
		/* The last bucket has no upper bound. */
		r |= json_array_append_new(buckets, json_count(i));
		r |= json_array_append_new(
			bounds, i == RUNQ_BUCKETS - 1 ? json_null() : json_count(hist_upper_ns(i)));
		r |= json_array_append_new(counts, json_count(counts_of[i]));
	}
	r |= json_put(to, keys->bucket, buckets);
	r |= json_put(to, keys->below_ns, bounds);
	r |= json_put(to, keys->count, counts);
	return r;
}

static int put_histograms(json_t *to, const struct sched_counters *from)
{
	static const struct histogram_keys all = {"runq_bucket", "runq_below_ns", "runq_count"};
	static const struct histogram_keys unthrottled = {
		"runq_unthrottled_bucket", "runq_unthrottled_below_ns", "runq_unthrottled_count"};
	int r = put_histogram(to, from->runq, &all);

	/* As on the wire: absent where throttling makes no difference. */
	if (memcmp(from->runq, from->runq_unthrottled, sizeof(from->runq)) != 0)
		r |= put_histogram(to, from->runq_unthrottled, &unthrottled);
	return r;
}

static int put_sched(json_t *to, const struct window_row *row)
{
	json_t *sched = json_object();
	int r = 0;

	r |= json_put_number(sched, "ran_ns", row->sched.ran_ns);
	r |= json_put_number(sched, "wait_ns", row->sched.wait_ns);
	r |= json_put_number(sched, "wait_count", row->sched.wait_count);
	r |= json_put_number(sched, "migrated_wait_ns", row->sched.migrated_wait_ns);
	r |= json_put_number(sched, "preempted_self", row->preempted_self);
	r |= json_put_number(sched, "preempted_other", row->preempted_other);
	r |= json_put_number(sched, "preempted_system", row->preempted_system);
	r |= json_put_number(sched, "throttled_out", row->sched.throttled_out);
	r |= json_put_number(sched, "self_wait_ns", row->self_wait_ns);
	r |= json_put_number(sched, "neighbor_wait_ns", row->neighbor_wait_ns);
	r |= json_put_number(sched, "system_wait_ns", row->system_wait_ns);
	r |= json_put_number(sched, "throttled_own_wait_ns", row->sched.throttled_own_wait_ns);
	r |= json_put_number(sched, "throttled_ancestor_wait_ns",
			     row->sched.throttled_ancestor_wait_ns);
	r |= json_put_number(sched, "idle_gap_wait_ns", row->sched.idle_gap_wait_ns);
	r |= json_put_number(sched, "unattributed_wait_ns", row->sched.unattributed_wait_ns);
	r |= json_put_number(sched, "max_wait_ns", row->sched.max_wait_ns);
	r |= put_histograms(sched, &row->sched);
	r |= json_put(to, "sched", sched);
	return r;
}

static int put_cpu_stat(json_t *to, const struct window_row *row)
{
	json_t *stat = json_object();
	int r = 0;

	r |= json_put_number(stat, "usage_ns", row->usage_ns);
	r |= json_put_number(stat, "user_ns", row->user_ns);
	r |= json_put_number(stat, "system_ns", row->system_ns);
	r |= json_put(to, "cpu_stat", stat);
	return r;
}

static int put_quotas(json_t *to, const struct window_row *row)
{
	json_t *quotas = json_array();
	int r = 0;

	for (size_t i = 0; i < row->n_quotas; i++) {
		const struct window_quota *from = &row->quotas[i];
		json_t *quota = json_object();

		r |= json_put(quota, "cgroup_path", json_text(from->cgroup_path));
		r |= json_put(quota, "own", json_boolean(from->own));
		r |= json_put_number(quota, "quota_us", from->quota_us);
		r |= json_put_number(quota, "period_us", from->period_us);
		r |= json_put_number(quota, "burst_us", from->burst_us);
		r |= json_put_number(quota, "nr_periods", from->nr_periods);
		r |= json_put_number(quota, "nr_throttled", from->nr_throttled);
		r |= json_put_number(quota, "throttled_ns", from->throttled_ns);
		r |= json_array_append_new(quotas, quota);
	}
	r |= json_put(to, "quotas", quotas);
	return r;
}

static int put_identity(json_t *to, const struct window_row *row, const struct json_names *names)
{
	struct batch_identity identity = {0};
	int r = 0;

	r |= json_put(to, "container_id", json_id(row->container_id));
	r |= json_put(to, "kind", json_string(row->is_container ? "container" : "system"));
	r |= json_put_name(to, "name", row->container_id, names);
	if (!names->find(names->context, row->container_id, &identity))
		return r;
	r |= json_put(to, "cgroup_path", json_text(identity.cgroup_path));
	if (!row->is_container)
		return r;
	r |= json_put(to, "runtime", json_text(identity.runtime));
	r |= json_put(to, "runtime_id", json_text(identity.runtime_id));
	r |= json_put(to, "image", json_text(identity.image));
	r |= json_put(to, "pod", json_text(identity.pod));
	r |= json_put(to, "namespace", json_text(identity.namespace));
	return r;
}

json_t *json_row(const struct window_row *from, const struct json_names *names)
{
	json_t *row = json_object();
	int r = 0;

	r |= put_identity(row, from, names);
	r |= json_put_number(row, "cpus_allowed", from->cpus_allowed);
	if (from->has & CGROUP_HAS_SCHED)
		r |= put_sched(row, from);
	if (from->has & CGROUP_HAS_USAGE)
		r |= put_cpu_stat(row, from);
	r |= put_quotas(row, from);
	return json_whole(row, r);
}

json_t *json_pair(const struct window_pair *from, const struct json_names *names)
{
	json_t *pair = json_object();
	int r = 0;

	r |= json_put_name(pair, "victim", from->victim_id, names);
	r |= json_put(pair, "victim_id", json_id(from->victim_id));
	r |= json_put_name(pair, "aggressor", from->aggressor_id, names);
	r |= json_put(pair, "aggressor_id", json_id(from->aggressor_id));
	r |= json_put_number(pair, "preemptions", from->preemptions);
	r |= json_put_number(pair, "wait_ns", from->wait_ns);
	return json_whole(pair, r);
}
