#include "wire/json_lines.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "wire/utf8.h"

/* Counters stay far below 2^63 within a window; ids have 63 bits. */
static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *string(const char *from)
{
	cleanup(freep) char *copy = strdup(from ? from : "");

	if (!copy)
		return NULL;
	utf8_repair(copy);
	return json_string(copy);
}

static json_t *id_text(uint64_t container_id)
{
	return json_sprintf("%016llx", (unsigned long long)container_id);
}

static json_t *instant(int64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm parts;
	char text[32];

	gmtime_r(&seconds, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return json_string(text);
}

/* jansson's setters steal the value and refuse NULL: -1 then means out of memory. */
static int put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static int put_number(json_t *object, const char *key, uint64_t value)
{
	return put(object, key, number(value));
}

static int put_histogram(json_t *to, const struct sched_counters *sched)
{
	json_t *buckets = json_array(), *bounds = json_array(), *counts = json_array();
	int r = 0;

	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++) {
		if (!sched->runq[i])
			continue;
		/* The last bucket has no upper bound. */
		r |= json_array_append_new(buckets, number(i));
		r |= json_array_append_new(
			bounds, i == RUNQ_BUCKETS - 1 ? json_null() : number(hist_upper_ns(i)));
		r |= json_array_append_new(counts, number(sched->runq[i]));
	}
	r |= put(to, "runq_bucket", buckets);
	r |= put(to, "runq_below_ns", bounds);
	r |= put(to, "runq_count", counts);
	return r;
}

static int put_sched(json_t *to, const struct window_row *row)
{
	json_t *sched = json_object();
	int r = 0;

	r |= put_number(sched, "ran_ns", row->sched.ran_ns);
	r |= put_number(sched, "wait_ns", row->sched.wait_ns);
	r |= put_number(sched, "wait_count", row->sched.wait_count);
	r |= put_number(sched, "migrated_wait_ns", row->sched.migrated_wait_ns);
	r |= put_number(sched, "preempted_self", row->preempted_self);
	r |= put_number(sched, "preempted_other", row->preempted_other);
	r |= put_number(sched, "preempted_system", row->preempted_system);
	r |= put_number(sched, "throttled_out", row->sched.throttled_out);
	r |= put_histogram(sched, &row->sched);
	r |= put(to, "sched", sched);
	return r;
}

static int put_cpu_stat(json_t *to, const struct window_row *row)
{
	json_t *stat = json_object();
	int r = 0;

	r |= put_number(stat, "usage_ns", row->usage_ns);
	r |= put_number(stat, "user_ns", row->user_ns);
	r |= put_number(stat, "system_ns", row->system_ns);
	r |= put(to, "cpu_stat", stat);
	return r;
}

static int put_quotas(json_t *to, const struct window_row *row)
{
	json_t *quotas = json_array();
	int r = 0;

	for (size_t i = 0; i < row->n_quotas; i++) {
		const struct window_quota *from = &row->quotas[i];
		json_t *quota = json_object();

		r |= put(quota, "cgroup_path", string(from->cgroup_path));
		r |= put(quota, "own", json_boolean(from->own));
		r |= put_number(quota, "quota_us", from->quota_us);
		r |= put_number(quota, "period_us", from->period_us);
		r |= put_number(quota, "burst_us", from->burst_us);
		r |= put_number(quota, "nr_periods", from->nr_periods);
		r |= put_number(quota, "nr_throttled", from->nr_throttled);
		r |= put_number(quota, "throttled_ns", from->throttled_ns);
		r |= json_array_append_new(quotas, quota);
	}
	r |= put(to, "quotas", quotas);
	return r;
}

static int put_name(json_t *to, const char *key, uint64_t container_id,
		    const struct json_names *names)
{
	struct batch_identity identity;

	if (!names->find(names->context, container_id, &identity))
		return put(to, key, id_text(container_id));
	return put(to, key, string(identity.name));
}

static int put_identity(json_t *to, const struct window_row *row, const struct json_names *names)
{
	struct batch_identity identity = {0};
	int r = 0;

	r |= put(to, "container_id", id_text(row->container_id));
	r |= put(to, "kind", json_string(row->is_container ? "container" : "system"));
	r |= put_name(to, "name", row->container_id, names);
	if (!names->find(names->context, row->container_id, &identity))
		return r;
	r |= put(to, "cgroup_path", string(identity.cgroup_path));
	if (!row->is_container)
		return r;
	r |= put(to, "runtime", string(identity.runtime));
	r |= put(to, "runtime_id", string(identity.runtime_id));
	r |= put(to, "image", string(identity.image));
	r |= put(to, "pod", string(identity.pod));
	r |= put(to, "namespace", string(identity.namespace));
	return r;
}

static int put_rows(json_t *to, const struct window *window, const struct json_names *names)
{
	json_t *rows = json_array();
	int r = 0;

	for (size_t i = 0; i < window->n_rows; i++) {
		const struct window_row *from = &window->rows[i];
		json_t *row = json_object();

		r |= put_identity(row, from, names);
		r |= put_number(row, "cpus_allowed", from->cpus_allowed);
		if (from->has & CGROUP_HAS_SCHED)
			r |= put_sched(row, from);
		if (from->has & CGROUP_HAS_USAGE)
			r |= put_cpu_stat(row, from);
		r |= put_quotas(row, from);
		r |= json_array_append_new(rows, row);
	}
	r |= put(to, "cgroups", rows);
	return r;
}

static int put_pairs(json_t *to, const struct window *window, const struct json_names *names)
{
	json_t *pairs = json_array();
	int r = 0;

	for (size_t i = 0; i < window->n_pairs; i++) {
		const struct window_pair *from = &window->pairs[i];
		json_t *pair = json_object();

		r |= put_name(pair, "victim", from->victim_id, names);
		r |= put(pair, "victim_id", id_text(from->victim_id));
		r |= put_name(pair, "aggressor", from->aggressor_id, names);
		r |= put(pair, "aggressor_id", id_text(from->aggressor_id));
		r |= put_number(pair, "preemptions", from->preemptions);
		r |= json_array_append_new(pairs, pair);
	}
	r |= put(to, "blame", pairs);
	return r;
}

static int put_collectors(json_t *to, const struct batch *batch)
{
	static const char *const states[] = {"unspecified", "ok", "degraded", "unsupported",
					     "failed"};
	json_t *collectors = json_array();
	int r = 0;

	for (size_t i = 0; i < batch->n_collectors; i++) {
		const struct batch_collector *from = &batch->collectors[i];
		json_t *collector = json_object();

		r |= put(collector, "name", string(from->name));
		r |= put(collector, "state", json_string(states[from->state]));
		r |= put(collector, "reason", string(from->reason));
		r |= put_number(collector, "lost", from->lost);
		r |= json_array_append_new(collectors, collector);
	}
	r |= put(to, "collectors", collectors);
	return r;
}

static int put_cost(json_t *to, const struct batch_cost *from)
{
	json_t *cost = json_object(), *programs = json_array();
	int r = 0;

	r |= put_number(cost, "user_ns", from->user_ns);
	r |= put_number(cost, "system_ns", from->system_ns);
	r |= put_number(cost, "rss_bytes", from->rss_bytes);
	for (size_t i = 0; i < from->n_programs; i++) {
		json_t *program = json_object();

		r |= put(program, "name", string(from->programs[i].name));
		r |= put_number(program, "run_count", from->programs[i].run_count);
		r |= put_number(program, "run_ns", from->programs[i].run_ns);
		r |= json_array_append_new(programs, program);
	}
	r |= put(cost, "programs", programs);
	r |= put(to, "cost", cost);
	return r;
}

static int put_host(json_t *to, const struct host_counters *from)
{
	json_t *host = json_object();
	int r = 0;

	r |= put_number(host, "cpus_online", from->cpus_online);
	r |= put_number(host, "user_ns", from->user_ns);
	r |= put_number(host, "system_ns", from->system_ns);
	r |= put_number(host, "idle_ns", from->idle_ns);
	r |= put_number(host, "iowait_ns", from->iowait_ns);
	r |= put_number(host, "steal_ns", from->steal_ns);
	r |= put_number(host, "context_switches", from->context_switches);
	r |= put(to, "host", host);
	return r;
}

static void json_putp(json_t **json)
{
	json_decref(*json);
}

int json_line_write(FILE *stream, const struct batch *batch, const struct json_names *names)
{
	cleanup(json_putp) json_t *line = json_object();
	int r = 0;

	r |= put(line, "started_at", instant(batch->window->started_at_unix_ns));
	r |= put_number(line, "started_at_unix_ns", (uint64_t)batch->window->started_at_unix_ns);
	r |= put_number(line, "duration_ns", batch->window->duration_ns);
	r |= put_host(line, &batch->window->host);
	r |= put_rows(line, batch->window, names);
	r |= put_pairs(line, batch->window, names);
	r |= put_collectors(line, batch);
	r |= put_cost(line, &batch->cost);
	if (r != 0)
		return -ENOMEM;

	if (json_dumpf(line, stream, JSON_COMPACT) < 0 || fputc('\n', stream) == EOF ||
	    fflush(stream) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}
