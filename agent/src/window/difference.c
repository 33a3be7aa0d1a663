#include "window/difference.h"

/* Adds up in `is_sane` whether every counter went forward; the difference is used only then. */
static uint64_t forward(uint64_t old, uint64_t new, bool *is_sane)
{
	*is_sane = *is_sane && new >= old;
	return new - old;
}

bool sched_difference(const struct sched_counters *old, const struct sched_counters *new,
		      struct sched_counters *ret)
{
	struct sched_counters d = {};
	bool is_sane = true;

	d.ran_ns = forward(old->ran_ns, new->ran_ns, &is_sane);
	d.wait_ns = forward(old->wait_ns, new->wait_ns, &is_sane);
	d.migrated_wait_ns = forward(old->migrated_wait_ns, new->migrated_wait_ns, &is_sane);
	d.throttled_out = forward(old->throttled_out, new->throttled_out, &is_sane);
	d.throttled_own_wait_ns =
		forward(old->throttled_own_wait_ns, new->throttled_own_wait_ns, &is_sane);
	d.throttled_ancestor_wait_ns =
		forward(old->throttled_ancestor_wait_ns, new->throttled_ancestor_wait_ns, &is_sane);
	d.idle_gap_wait_ns = forward(old->idle_gap_wait_ns, new->idle_gap_wait_ns, &is_sane);
	d.unattributed_wait_ns =
		forward(old->unattributed_wait_ns, new->unattributed_wait_ns, &is_sane);
	d.max_wait_ns = new->max_wait_ns;
	for (size_t i = 0; i < RUNQ_BUCKETS; i++) {
		d.runq[i] = new->runq[i] - old->runq[i];
		d.runq_unthrottled[i] = new->runq_unthrottled[i] - old->runq_unthrottled[i];
		d.wait_count += d.runq[i];
	}
	if (is_sane)
		*ret = d;
	return is_sane;
}

bool usage_difference(const struct cpu_counters *old, const struct cpu_counters *new,
		      struct cpu_counters *ret)
{
	bool is_sane = true;
	const uint64_t usage_ns = forward(old->usage_ns, new->usage_ns, &is_sane);
	const uint64_t user_ns = forward(old->user_ns, new->user_ns, &is_sane);
	const uint64_t system_ns = forward(old->system_ns, new->system_ns, &is_sane);

	if (!is_sane)
		return false;
	ret->usage_ns = usage_ns;
	ret->user_ns = user_ns;
	ret->system_ns = system_ns;
	return true;
}

bool bandwidth_difference(const struct cpu_counters *old, const struct cpu_counters *new,
			  struct cpu_counters *ret)
{
	bool is_sane = true;
	const uint64_t nr_periods = forward(old->nr_periods, new->nr_periods, &is_sane);
	const uint64_t nr_throttled = forward(old->nr_throttled, new->nr_throttled, &is_sane);
	const uint64_t throttled_ns = forward(old->throttled_ns, new->throttled_ns, &is_sane);

	if (!is_sane)
		return false;
	ret->nr_periods = nr_periods;
	ret->nr_throttled = nr_throttled;
	ret->throttled_ns = throttled_ns;
	ret->quota_us = new->quota_us;
	ret->period_us = new->period_us;
	ret->burst_us = new->burst_us;
	return true;
}

static uint64_t at_least_0(uint64_t old, uint64_t new)
{
	return new > old ? new - old : 0;
}

void host_difference(const struct host_counters *old, const struct host_counters *new,
		     struct host_counters *ret)
{
	*ret = (struct host_counters){.cpus_online = new->cpus_online};
	if (old->cpus_online == 0 || new->cpus_online == 0)
		return;
	ret->user_ns = at_least_0(old->user_ns, new->user_ns);
	ret->system_ns = at_least_0(old->system_ns, new->system_ns);
	ret->idle_ns = at_least_0(old->idle_ns, new->idle_ns);
	ret->iowait_ns = at_least_0(old->iowait_ns, new->iowait_ns);
	ret->steal_ns = at_least_0(old->steal_ns, new->steal_ns);
	ret->context_switches = at_least_0(old->context_switches, new->context_switches);
}

void sched_add(struct sched_counters *self, const struct sched_counters *other)
{
	self->ran_ns += other->ran_ns;
	self->wait_ns += other->wait_ns;
	self->wait_count += other->wait_count;
	self->migrated_wait_ns += other->migrated_wait_ns;
	self->throttled_out += other->throttled_out;
	self->throttled_own_wait_ns += other->throttled_own_wait_ns;
	self->throttled_ancestor_wait_ns += other->throttled_ancestor_wait_ns;
	self->idle_gap_wait_ns += other->idle_gap_wait_ns;
	self->unattributed_wait_ns += other->unattributed_wait_ns;
	if (other->max_wait_ns > self->max_wait_ns)
		self->max_wait_ns = other->max_wait_ns;
	for (size_t i = 0; i < RUNQ_BUCKETS; i++) {
		self->runq[i] += other->runq[i];
		self->runq_unthrottled[i] += other->runq_unthrottled[i];
	}
}
