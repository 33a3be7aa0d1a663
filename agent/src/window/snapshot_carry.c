#include "window/snapshot.h"

/* Rows never say less than they did: a collector that tells of the dead does so once. */
static void carry_cgroup(struct snapshot *self, const struct cgroup_counters *earlier)
{
	struct cgroup_counters *row = snapshot_cgroup(self, earlier->cgroup_id);
	const uint32_t missing = row ? earlier->has & ~row->has : 0;

	if (!row)
		return; /* counted as dropped */
	if (missing & CGROUP_HAS_SCHED)
		row->sched = earlier->sched;
	if (missing & CGROUP_HAS_USAGE) {
		row->cpu.usage_ns = earlier->cpu.usage_ns;
		row->cpu.user_ns = earlier->cpu.user_ns;
		row->cpu.system_ns = earlier->cpu.system_ns;
	}
	if (missing & CGROUP_HAS_BANDWIDTH) {
		row->cpu.nr_periods = earlier->cpu.nr_periods;
		row->cpu.nr_throttled = earlier->cpu.nr_throttled;
		row->cpu.throttled_ns = earlier->cpu.throttled_ns;
		row->cpu.quota_us = earlier->cpu.quota_us;
		row->cpu.period_us = earlier->cpu.period_us;
		row->cpu.burst_us = earlier->cpu.burst_us;
	}
	row->has |= missing;
	if (row->cpus_allowed == 0)
		row->cpus_allowed = earlier->cpus_allowed;
	if (earlier->has & CGROUP_HAS_SCHED && earlier->sched.max_wait_ns > row->sched.max_wait_ns)
		row->sched.max_wait_ns = earlier->sched.max_wait_ns;
}

/* Gone, and nothing happened to it since `base`: no difference will ever show it. */
static bool is_settled(const struct snapshot *self, const struct cgroup_counters *earlier,
		       const struct snapshot *base)
{
	const struct cgroup_counters *before;

	if (snapshot_find(self, earlier->cgroup_id))
		return false;
	before = snapshot_find(base, earlier->cgroup_id);
	return before && before->has == earlier->has &&
	       before->sched.ran_ns == earlier->sched.ran_ns &&
	       before->sched.wait_ns == earlier->sched.wait_ns &&
	       before->cpu.usage_ns == earlier->cpu.usage_ns;
}

static bool is_pair_settled(const struct pair_counter *earlier, const struct snapshot *base)
{
	const struct pair_counter *before =
		snapshot_find_pair(base, earlier->waiter_cgroup_id, earlier->runner_cgroup_id);

	return before && before->wait_ns == earlier->wait_ns &&
	       before->preemptions == earlier->preemptions;
}

void snapshot_carry(struct snapshot *self, const struct snapshot *earlier,
		    const struct snapshot *base)
{
	for (size_t i = 0; i < earlier->n_cgroups; i++) {
		if (!is_settled(self, &earlier->cgroups[i], base))
			carry_cgroup(self, &earlier->cgroups[i]);
	}
	for (size_t i = 0; i < earlier->n_pairs; i++) {
		const struct pair_counter *pair = &earlier->pairs[i];

		if (!snapshot_find_pair(self, pair->waiter_cgroup_id, pair->runner_cgroup_id) &&
		    !is_pair_settled(pair, base))
			(void)snapshot_add_pair(self, pair); /* no room: counted as dropped */
	}
	snapshot_seal(self);
}
