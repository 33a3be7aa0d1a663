#include "cgroup/cpu_stat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cgroup/cpu_stat_parse.h"

#define ID  "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define POD "/kubepods/burstable/pod6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10"
#define POD_SLICE                                   \
	"/kubepods.slice/kubepods-burstable.slice/" \
	"kubepods-burstable-pod6f1f7c2e_95b1_4f8a_9a37_0f4d6c2b7a10.slice"

static const struct cgroup_mode v1 = {
	.version = CGROUP_V1,
	.cpu_root = "tests/fixtures/v1/cpu,cpuacct",
	.cpuacct_root = "tests/fixtures/v1/cpu,cpuacct",
	.cpuset_root = "tests/fixtures/v1/cpuset",
};

static const struct cgroup_mode v2 = {
	.version = CGROUP_V2,
	.cpu_root = "tests/fixtures/v2/cgroup",
	.cpuacct_root = "tests/fixtures/v2/cgroup",
	.cpuset_root = "tests/fixtures/v2/cgroup",
};

static const struct cgroup_mode hybrid = {
	.version = CGROUP_HYBRID,
	.cpu_root = "tests/fixtures/hybrid/cpu",
	.cpuacct_root = "tests/fixtures/hybrid/cpuacct",
	.cpuset_root = "tests/fixtures/hybrid/cpuset",
};

struct reading {
	struct cpu_counters cpu;
	uint32_t has, cpus;
};

static struct reading read_ok(const struct cgroup_mode *mode, const char *path)
{
	struct reading reading;

	assert_int_equal(cpu_stat_read(mode, path, &reading.cpu, &reading.has, &reading.cpus), 0);
	return reading;
}

static void v2_microseconds_become_ns(void **state)
{
	const struct reading reading = read_ok(&v2, POD_SLICE "/cri-containerd-" ID ".scope");

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH);
	assert_int_equal(reading.cpu.usage_ns, 30123456000);
	assert_int_equal(reading.cpu.user_ns, 24123456000);
	assert_int_equal(reading.cpu.system_ns, 6000000000);
	assert_int_equal(reading.cpu.nr_periods, 873);
	assert_int_equal(reading.cpu.nr_throttled, 211);
	assert_int_equal(reading.cpu.throttled_ns, 4567890000);
	assert_int_equal(reading.cpu.quota_us, 50000);
	assert_int_equal(reading.cpu.period_us, 100000);
	assert_int_equal(reading.cpu.burst_us, 10000);
	assert_int_equal(reading.cpus, 3);
}

static void v2_pod_level_takes_its_cpus_from_above(void **state)
{
	const struct reading reading = read_ok(&v2, POD_SLICE);

	(void)state;
	assert_int_equal(reading.cpu.quota_us, 200000);
	assert_int_equal(reading.cpu.nr_throttled, 12);
	assert_int_equal(reading.cpus, 4);
}

static void v2_root_has_usage_but_no_quota(void **state)
{
	const struct reading reading = read_ok(&v2, "/");

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE);
	assert_int_equal(reading.cpu.usage_ns, 81230000000);
	assert_int_equal(reading.cpus, 4);
}

static void v2_without_the_cpu_controller_has_usage_only(void **state)
{
	const struct reading reading = read_ok(&v2, "/system.slice/kubelet.service");

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE);
	assert_int_equal(reading.cpu.usage_ns, 900000000);
}

static void v2_max_is_no_quota(void **state)
{
	const struct reading reading = read_ok(&v2, "/kubepods.slice");

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH);
	assert_int_equal(reading.cpu.quota_us, 0);
	assert_int_equal(reading.cpu.period_us, 100000);
}

static void v1_nanoseconds_stay(void **state)
{
	const struct reading reading = read_ok(&v1, POD "/" ID);

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH);
	assert_int_equal(reading.cpu.usage_ns, 30123456789);
	assert_int_equal(reading.cpu.user_ns, 24123456789);
	assert_int_equal(reading.cpu.throttled_ns, 4567890123);
	assert_int_equal(reading.cpu.quota_us, 50000);
	assert_int_equal(reading.cpu.burst_us, 0); /* no such file before 5.14 */
	assert_int_equal(reading.cpus, 2);
}

static void v1_minus_one_is_no_quota(void **state)
{
	const struct reading reading = read_ok(&v1, "/kubepods");

	(void)state;
	assert_int_equal(reading.cpu.quota_us, 0);
	assert_int_equal(reading.cpu.period_us, 100000);
	assert_int_equal(reading.cpus, 0); /* not in the cpuset hierarchy: unknown, not all */
}

static void v1_old_kernel_counts_in_ticks(void **state)
{
	struct cpu_counters cpu = {0};
	const struct reading reading = read_ok(&v1, "/docker/" ID);

	(void)state;
	assert_int_equal(reading.cpu.usage_ns, 700000000);
	assert_int_equal(reading.cpu.user_ns, 500000000);
	assert_int_equal(reading.cpu.system_ns, 200000000);
	assert_int_equal(cpuacct_stat_parse("user 3\nsystem 4\n", 250, &cpu), 0);
	assert_int_equal(cpu.user_ns, 12000000);
}

static void hybrid_reads_usage_from_the_other_mount(void **state)
{
	const struct reading reading = read_ok(&hybrid, "/docker/" ID);

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH);
	assert_int_equal(reading.cpu.usage_ns, 9000000000);
	assert_int_equal(reading.cpu.nr_throttled, 100);
	assert_int_equal(reading.cpu.burst_us, 5000);
}

static void cgroup_missing_in_the_usage_hierarchy_keeps_its_quota(void **state)
{
	const struct reading reading = read_ok(&hybrid, "/only-cpu");

	(void)state;
	assert_int_equal(reading.has, CGROUP_HAS_BANDWIDTH);
}

static void gone_cgroup_is_enoent(void **state)
{
	struct reading reading = {.has = 77};

	(void)state;
	assert_int_equal(cpu_stat_read(&v2, "/gone", &reading.cpu, &reading.has, &reading.cpus),
			 -ENOENT);
	assert_int_equal(reading.has, 77);
}

static void malformed_statistics_are_refused_whole(void **state)
{
	static const char *const bad[] = {
		"nr_periods x\n",   "nr_periods 1\nnr_periods 2\n",	 "nr_periods\n",
		"nr_periods 1 2\n", "usage_usec 99999999999999999999\n", "nr_throttled -1\n",
	};
	uint32_t has = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cpu_counters cpu = {.nr_periods = 5};
		assert_true(cpu_stat_parse(bad[i], &cpu, &has) < 0);
		assert_int_equal(cpu.nr_periods, 5);
	}
}

static void unknown_lines_are_left_alone(void **state)
{
	struct cpu_counters cpu = {0};
	uint32_t has;

	(void)state;
	assert_int_equal(cpu_stat_parse("nr_bursts 3\nnr_periods_new 9\nwhatever else it is\n"
					"nr_periods 7\nnr_throttled 2\nthrottled_usec 1\n",
					&cpu, &has),
			 0);
	assert_int_equal(has, CGROUP_HAS_BANDWIDTH);
	assert_int_equal(cpu.nr_periods, 7);
}

static void quota_texts_are_strict(void **state)
{
	static const char *const bad[] = {"",	     "max",	    "max\n",   "100000\n",
					  "max x\n", "-1 100000\n", "5 6 7\n", "5  6\n"};
	struct cpu_counters cpu = {.quota_us = 5};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(cpu_max_parse(bad[i], &cpu) < 0);
	assert_int_equal(cpu.quota_us, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_microseconds_become_ns),
		cmocka_unit_test(v2_pod_level_takes_its_cpus_from_above),
		cmocka_unit_test(v2_root_has_usage_but_no_quota),
		cmocka_unit_test(v2_without_the_cpu_controller_has_usage_only),
		cmocka_unit_test(v2_max_is_no_quota),
		cmocka_unit_test(v1_nanoseconds_stay),
		cmocka_unit_test(v1_minus_one_is_no_quota),
		cmocka_unit_test(v1_old_kernel_counts_in_ticks),
		cmocka_unit_test(hybrid_reads_usage_from_the_other_mount),
		cmocka_unit_test(cgroup_missing_in_the_usage_hierarchy_keeps_its_quota),
		cmocka_unit_test(gone_cgroup_is_enoent),
		cmocka_unit_test(malformed_statistics_are_refused_whole),
		cmocka_unit_test(unknown_lines_are_left_alone),
		cmocka_unit_test(quota_texts_are_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
