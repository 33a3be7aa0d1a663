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

void snapshot_carry(struct snapshot *self, const struct snapshot *earlier)
{
	for (size_t i = 0; i < earlier->n_cgroups; i++)
		carry_cgroup(self, &earlier->cgroups[i]);
	for (size_t i = 0; i < earlier->n_pairs; i++) {
		const struct pair_counter *pair = &earlier->pairs[i];

		if (!snapshot_find_pair(self, pair->waiter_cgroup_id, pair->runner_cgroup_id))
			(void)snapshot_add_pair(self, pair); /* no room: counted as dropped */
	}
	snapshot_seal(self);
}
