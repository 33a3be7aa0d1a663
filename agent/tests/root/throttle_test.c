#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rig.h"

extern const struct collector throttle_collector;

static void throttled_periods_are_those_of_cpu_stat(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "throttled");
	const struct cgroup_counters *row;
	struct collector_report report;
	void *throttle = NULL;
	uint64_t before;

	rig_set_quota(rig, cgroup, 20000, 100000);
	rig_favour(rig, cgroup);
	rig_spawn(rig, cgroup, 1, work_spin);
	for (int tries = 0; tries < 200 && rig_cpu_stat(rig, cgroup, "nr_throttled ") < 8; tries++)
		rig_sleep_ms(100);
	assert_int_equal(cgroup_table_refresh(rig->table), 0);
	assert_int_equal(throttle_collector.open(NULL, rig->table, &throttle, &report), 0);
	snapshot_reset(&rig->after, 1);
	before = rig_cpu_stat(rig, cgroup, "nr_throttled ");
	assert_int_equal(throttle_collector.read(throttle, &rig->after, &report), 0);
	throttle_collector.close(throttle);

	assert_int_equal(report.state, COLLECTOR_OK);
	assert_int_equal(report.lost, 0);
	row = snapshot_find(&rig->after, cgroup->id);
	assert_non_null(row);
	assert_true(row->has & CGROUP_HAS_BANDWIDTH);
	assert_int_equal(row->cpu.quota_us, 20000);
	assert_int_equal(row->cpu.period_us, 100000);
	assert_true(before >= 8);
	assert_in_range(row->cpu.nr_throttled, before, rig_cpu_stat(rig, cgroup, "nr_throttled "));
	assert_true(row->cpu.nr_throttled <= row->cpu.nr_periods);
	/* Where cpuacct is a hierarchy of its own, our cgroup is not in it. */
	if (strcmp(rig->mode.cpu_root, rig->mode.cpuacct_root) == 0) {
		assert_true(row->has & CGROUP_HAS_USAGE);
		assert_true(row->cpu.usage_ns > 150000000);
	}
	assert_true(rig->after.host.cpus_online > 0);
	assert_true(rig->after.host.context_switches > 0);
}

static void check_names_the_hierarchy(void **state)
{
	struct collector_report report;

	(void)state;
	assert_int_equal(throttle_collector.check(&report), 0);
	assert_int_equal(report.state, COLLECTOR_OK);
	assert_true(report.reason[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(throttled_periods_are_those_of_cpu_stat, rig_set_up,
						rig_tear_down),
		cmocka_unit_test(check_names_the_hierarchy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
