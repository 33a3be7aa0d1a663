#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/sched/sched.h"
#include "rig.h"
#include "sched.skel.h"

extern const struct collector sched_collector;

static void a_slot_is_given_back_only_long_after_its_cgroup_went(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "gone");
	const struct rig_cgroup *alive = rig_make_cgroup(rig, "alive");
	const pid_t pid = rig_spawn(rig, cgroup, 0, work_spin);
	const uint64_t id = cgroup->id;
	uint64_t clock_ns;

	rig_favour(rig, cgroup);
	rig_favour(rig, alive);
	rig_spawn(rig, alive, 0, work_spin);
	for (int tries = 0; tries < 200; tries++) {
		rig_sleep_ms(50);
		rig_read(rig, &rig->before);
		if (snapshot_find_pair(&rig->before, alive->id, id))
			break;
	}
	rig_kill(rig, pid);
	alive--; /* moves down with the removal */
	rig_remove_cgroup(rig, cgroup);
	rig_read(rig, &rig->before);
	clock_ns = rig->before.taken_at_ns;
	rig_read_at(rig, &rig->before, clock_ns += 1000000000);
	rig_read_at(rig, &rig->before, clock_ns += SLOT_RECLAIM_AFTER_NS - 2000000000);
	assert_non_null(snapshot_find(&rig->before, id));
	assert_non_null(snapshot_find_pair(&rig->before, alive->id, id));
	rig_read_at(rig, &rig->after, clock_ns += 2000000000); /* the last that has it */
	rig_read_at(rig, &rig->after, clock_ns + 1000000000);
	assert_null(snapshot_find(&rig->after, id));
	assert_null(snapshot_find_pair(&rig->after, alive->id, id));
	assert_true(rig_counted(rig, alive).ran_ns < 1000000000);
}

static void cgroups_without_a_slot_are_counted_together_and_said_so(void **state)
{
	struct rig *rig = rig_of(state);
	struct cgroup_slots *slots = &((struct sched *)rig->sched)->slots;
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "overflow");
	uint32_t taken[SCHED_MAX_SLOTS], n_taken = 0;

	while (bpf_map_lookup_and_delete_elem(slots->free_fd, NULL, &taken[n_taken]) == 0)
		n_taken++;
	assert_true(n_taken > 400);
	rig_spawn(rig, cgroup, 0, work_doze);
	rig_sleep_ms(100);
	rig_read(rig, &rig->after);
	assert_null(snapshot_find(&rig->after, cgroup->id));
	assert_non_null(snapshot_find(&rig->after, 0)); /* the id that has no name */
	assert_int_equal(rig->report.state, COLLECTOR_DEGRADED);
	assert_true(rig->report.lost > 0);

	/* With slots again, the next reclaim lets it try anew. */
	for (uint32_t i = 0; i < n_taken; i++)
		assert_int_equal(bpf_map_update_elem(slots->free_fd, NULL, &taken[i], BPF_ANY), 0);
	assert_int_equal(cgroup_slots_detach(slots), 0);
	rig_sleep_ms(300);
	rig_read(rig, &rig->after);
	assert_non_null(snapshot_find(&rig->after, cgroup->id));
}

static void without_rights_it_says_which_are_missing(void **state)
{
	const pid_t pid = (rig_of(state), fork());
	int status = -1;

	if (pid == 0) {
		struct collector_report report = {.state = COLLECTOR_OK};
		int r = setresuid(65534, 65534, 65534);

		if (r == 0)
			r = sched_collector.check(&report);
		_exit(r == -EPERM && report.state == COLLECTOR_UNSUPPORTED &&
				      strstr(report.reason, "CAP_BPF and CAP_PERFMON")
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void close_leaves_no_program_behind(void **state)
{
	struct rig *rig = rig_of(state);
	struct bpf_prog_info info = {};
	__u32 length = sizeof(info);
	const int fd = bpf_program__fd(((struct sched *)rig->sched)->skel->progs.sched_switch);
	int id_fd = 0;

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &length), 0);
	sched_collector.close(rig->sched);
	rig->sched = NULL;
	for (int tries = 0; tries < 1000; tries++) { /* freed after a grace period */
		id_fd = bpf_prog_get_fd_by_id(info.id);
		if (id_fd < 0)
			break;
		close(id_fd);
		rig_sleep_ms(5);
	}
	assert_int_equal(id_fd, -ENOENT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_slot_is_given_back_only_long_after_its_cgroup_went),
		TEST(cgroups_without_a_slot_are_counted_together_and_said_so),
		TEST(without_rights_it_says_which_are_missing),
		TEST(close_leaves_no_program_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
