#include "cgroup/mode.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void v2_host_has_one_tree_for_all(void **state)
{
	struct cgroup_mode mode;

	(void)state;
	assert_int_equal(cgroup_mode_detect("tests/fixtures/v2/mountinfo", &mode), 0);
	assert_int_equal(mode.version, CGROUP_V2);
	assert_string_equal(mode.cpu_root, "/sys/fs/cgroup");
	assert_string_equal(mode.cpuacct_root, "/sys/fs/cgroup");
	assert_string_equal(mode.cpuset_root, "/sys/fs/cgroup");
	assert_string_equal(cgroup_version_name(mode.version), "v2");
}

static void v1_host_takes_the_first_mount_of_a_controller(void **state)
{
	struct cgroup_mode mode;

	(void)state;
	assert_int_equal(cgroup_mode_detect("tests/fixtures/v1/mountinfo", &mode), 0);
	assert_int_equal(mode.version, CGROUP_V1);
	assert_string_equal(mode.cpu_root, "/sys/fs/cgroup/cpu,cpuacct");
	assert_string_equal(mode.cpuacct_root, "/sys/fs/cgroup/cpu,cpuacct");
	assert_string_equal(mode.cpuset_root, "/sys/fs/cgroup/cpuset");
}

static void hybrid_host_keeps_to_the_v1_cpu_controller(void **state)
{
	struct cgroup_mode mode;

	(void)state;
	assert_int_equal(cgroup_mode_detect("tests/fixtures/hybrid/mountinfo", &mode), 0);
	assert_int_equal(mode.version, CGROUP_HYBRID);
	assert_string_equal(mode.cpu_root, "/sys/fs/cgroup/cpu");
	assert_string_equal(mode.cpuacct_root, "/sys/fs/cgroup/cpuacct");
	assert_string_equal(mode.cpuset_root, "/sys/fs/cgroup/cpuset");
}

static void host_without_cgroups_is_told(void **state)
{
	struct cgroup_mode mode;

	(void)state;
	/* Any text without such a mount. */
	assert_int_equal(cgroup_mode_detect("tests/fixtures/v2/cgroup/cpu.stat", &mode), -ENOENT);
	assert_int_equal(cgroup_mode_detect("tests/fixtures/nowhere", &mode), -ENOENT);
}

static void the_hierarchy_of_the_cpu_controller_has_a_number(void **state)
{
	uint32_t id = 99;

	(void)state;
	assert_int_equal(cgroup_hierarchy_id("tests/fixtures/v1/self_cgroup", &id), 0);
	assert_int_equal(id, 4);
	assert_int_equal(cgroup_hierarchy_id("tests/fixtures/hybrid/self_cgroup", &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(cgroup_hierarchy_id("tests/fixtures/v2/self_cgroup", &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(cgroup_hierarchy_id("tests/fixtures/nowhere", &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_host_has_one_tree_for_all),
		cmocka_unit_test(v1_host_takes_the_first_mount_of_a_controller),
		cmocka_unit_test(hybrid_host_keeps_to_the_v1_cpu_controller),
		cmocka_unit_test(host_without_cgroups_is_told),
		cmocka_unit_test(the_hierarchy_of_the_cpu_controller_has_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
