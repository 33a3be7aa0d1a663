#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"
#include "window/difference.h"

#define ID     "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define POD    "pod1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define N_LIFE 20
#define N_MANY 100

static void who_lived_ten_milliseconds_has_a_name_and_a_row(void **state)
{
	uint64_t ids[N_LIFE], before, longest_ns = 0;
	char path[128];
	struct life self;

	life_start(&self, state, 512 * 1024);
	for (unsigned int n = 0; n < N_LIFE; n++) {
		life_path(path, "short", n);
		before = rig_now_ns();
		ids[n] = life_live(&self, path, "exit 0");
		if (rig_now_ns() - before > longest_ns)
			longest_ns = rig_now_ns() - before;
	}
	/* Not one directory of them is there any more. */
	life_drain(&self);
	rig_read(self.rig, &self.rig->after);
	for (unsigned int n = 0; n < N_LIFE; n++) {
		const struct cgroup *cgroup = cgroup_table_find(self.rig->table, ids[n]);
		const struct cgroup_counters *row = snapshot_find(&self.rig->after, ids[n]);

		life_path(path, "short", n);
		assert_non_null(cgroup);
		assert_string_equal(cgroup->path, path);
		assert_string_equal(cgroup->identity.name, path + 1);
		assert_int_equal(cgroup->parent_id, 1);
		assert_false(cgroup->is_alive);
		assert_non_null(row);
		assert_true(row->sched.ran_ns > 0);
	}
	print_message("20 of 20 named; the longest lived %.1f ms\n", (double)longest_ns / 1e6);
	life_stop(&self);
}

static void a_death_is_followed_by_a_release(void **state)
{
	char path[128];
	struct life self;
	uint64_t id;

	life_start(&self, state, 512 * 1024);
	life_path(path, "gone", 0);
	id = life_live(&self, path, "exit 0");
	/* The kernel lets go after a grace period; on v2 memory may hold it: then two refreshes. */
	for (int tries = 0; tries < 100; tries++) {
		life_drain(&self);
		if (cgroup_table_find(self.rig->table, id)->is_released)
			break;
		rig_sleep_ms(10);
	}
	if (self.rig->mode.version != CGROUP_V2)
		assert_true(cgroup_table_find(self.rig->table, id)->is_released);
	for (int i = 0; i < 2; i++)
		assert_int_equal(cgroup_table_refresh(self.rig->table), 0);
	assert_true(cgroup_table_find(self.rig->table, id)->is_released);
	life_stop(&self);
}

static void a_path_made_again_is_another_cgroup(void **state)
{
	const struct sched_counters zero = {};
	struct sched_counters first, second;
	uint64_t first_id, second_id;
	char path[128];
	struct life self;

	life_start(&self, state, 512 * 1024);
	life_path(path, "again", 0);
	first_id = life_live(&self, path, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
	life_drain(&self);
	rig_read(self.rig, &self.rig->before);
	second_id = life_live(&self, path, "exit 0");
	life_drain(&self);
	rig_read(self.rig, &self.rig->after);

	assert_int_not_equal(first_id, second_id);
	assert_string_equal(cgroup_table_find(self.rig->table, second_id)->path, path);
	assert_int_equal(cgroup_table_find(self.rig->table, first_id)->identity.container_id,
			 cgroup_table_find(self.rig->table, second_id)->identity.container_id);
	assert_non_null(snapshot_find(&self.rig->before, first_id));
	assert_null(snapshot_find(&self.rig->before, second_id));
	assert_non_null(snapshot_find(&self.rig->after, second_id));
	first = snapshot_find(&self.rig->before, first_id)->sched;
	assert_true(sched_difference(&zero, &snapshot_find(&self.rig->after, second_id)->sched,
				     &second));
	print_message("ran %.1f ms, made again %.1f ms\n", (double)first.ran_ns / 1e6,
		      (double)second.ran_ns / 1e6);
	assert_true(second.ran_ns > 0);
	assert_true(second.ran_ns < first.ran_ns);
	life_stop(&self);
}

static void a_container_in_a_pod_is_known_by_both(void **state)
{
	char top[128], pod[256], container[384];
	const struct cgroup *cgroup;
	uint64_t pod_id, id;
	struct life self;

	life_start(&self, state, 512 * 1024);
	life_path(top, "kubepods", 0);
	(void)snprintf(pod, sizeof(pod), "%s/%s", top, POD);
	(void)snprintf(container, sizeof(container), "%s/%s", pod, ID);
	life_hand_down_cpu(&self, "");
	life_make(&self, top);
	life_hand_down_cpu(&self, top);
	pod_id = life_make(&self, pod);
	life_hand_down_cpu(&self, pod);
	id = life_live(&self, container, "exit 0");
	life_unmake(&self, pod);
	life_unmake(&self, top);
	life_drain(&self);

	cgroup = cgroup_table_find(self.rig->table, id);
	assert_non_null(cgroup);
	assert_string_equal(cgroup->path, container);
	assert_int_equal(cgroup->parent_id, pod_id);
	assert_true(cgroup->identity.is_container);
	assert_string_equal(cgroup->identity.runtime_id, ID);
	assert_string_equal(cgroup->identity.pod_uid, POD + 3);
	assert_string_equal(cgroup_table_find(self.rig->table, pod_id)->path, pod);
	life_stop(&self);
}

static void what_the_ring_lost_is_found_by_a_walk(void **state)
{
	uint64_t ids[N_MANY];
	char path[128];
	struct life self;

	life_start(&self, state, 4096); /* room for some fifty births */
	for (unsigned int n = 0; n < N_MANY; n++) {
		life_path(path, "many", n);
		ids[n] = life_make(&self, path);
	}
	life_drain(&self);
	assert_null(cgroup_table_find(self.rig->table, ids[N_MANY - 1]));
	snapshot_reset(&self.rig->after, 1);
	assert_int_equal(lifecycle_collector.read(self.lifecycle, &self.rig->after, &self.report),
			 0);
	print_message("%llu of 100 births lost\n", (unsigned long long)self.report.ring_lost);
	assert_true(self.report.ring_lost > 0);
	assert_int_equal(self.report.lost, self.report.ring_lost);

	assert_int_equal(cgroup_table_refresh(self.rig->table), 0);
	for (unsigned int n = 0; n < N_MANY; n++) {
		life_path(path, "many", n);
		assert_non_null(cgroup_table_find(self.rig->table, ids[n]));
		life_unmake(&self, path);
	}
	life_stop(&self);
}

static void a_birth_wakes_who_waits(void **state)
{
	struct collector_report report = {};
	struct pollfd waiting = {.events = POLLIN};
	char path[128];
	struct life self;
	pid_t pid;

	life_start(&self, state, 512 * 1024);
	life_path(path, "woken", 0);
	waiting.fd = lifecycle_collector.descriptor(self.lifecycle);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		rig_sleep_ms(50);
		life_make(&self, path);
		_exit(0);
	}
	assert_int_equal(poll(&waiting, 1, 10000), 1);
	life_drain(&self);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	life_unmake(&self, path);
	life_drain(&self);

	assert_int_equal(lifecycle_collector.read(self.lifecycle, &self.rig->after, &report), 0);
	assert_int_equal(report.n_programs, 4);
	assert_true(report.programs[0].run_count >= 1);
	assert_true(report.programs[1].run_count >= 1);
	assert_string_equal(report.maps[0].name, "cgroup names");
	assert_true(report.maps[0].used >= 2);
	life_stop(&self);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(who_lived_ten_milliseconds_has_a_name_and_a_row),
		TEST(a_death_is_followed_by_a_release),
		TEST(a_path_made_again_is_another_cgroup),
		TEST(a_container_in_a_pod_is_known_by_both),
		TEST(what_the_ring_lost_is_found_by_a_walk),
		TEST(a_birth_wakes_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
