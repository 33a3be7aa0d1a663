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

#include "collectors/lifecycle/lifecycle.h"
#include "rig.h"
#include "window/difference.h"

extern const struct collector lifecycle_collector;

#define ID     "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define POD    "pod1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define N_LIFE 20
#define N_MANY 100

struct life {
	struct rig *rig;
	void *lifecycle;
	struct collector_report report;
	struct collector_sink sink; /* nothing comes out of this collector's */
};

static void start(struct life *self, void **state, uint32_t ring_bytes)
{
	*self = (struct life){.rig = rig_of(state)};
	if (lifecycle_open_ring(ring_bytes, self->rig->table, &self->lifecycle, &self->report) <
	    0) {
		printf("skip: %s\n", self->report.reason);
		fflush(stdout);
		skip();
	}
	/* As the agent begins: with a walk, after the hooks. */
	assert_int_equal(cgroup_table_refresh(self->rig->table), 0);
}

static void stop(struct life *self)
{
	lifecycle_collector.close(self->lifecycle);
}

static void drain(struct life *self)
{
	assert_int_equal(lifecycle_collector.drain(self->lifecycle, &self->sink), 0);
}

static void whole_path(const struct life *self, const char *path, char *ret, size_t size)
{
	assert_true(snprintf(ret, size, "%s%s", self->rig->mode.cpu_root, path) < (int)size);
}

/* On v2 a level gets the cpu controller from the one above. */
static void hand_down_cpu(const struct life *self, const char *path)
{
	char whole[512];
	int fd;

	if (self->rig->mode.version != CGROUP_V2)
		return;
	assert_true(snprintf(whole, sizeof(whole), "%s%s/cgroup.subtree_control",
			     self->rig->mode.cpu_root, path) < (int)sizeof(whole));
	fd = open(whole, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "+cpu", 4), 4);
	close(fd);
}

static uint64_t make(const struct life *self, const char *path)
{
	char whole[512];
	struct stat status;

	whole_path(self, path, whole, sizeof(whole));
	if (mkdir(whole, 0755) < 0)
		fail_msg("mkdir %s: %s", whole, strerror(errno));
	assert_int_equal(stat(whole, &status), 0);
	return status.st_ino;
}

static void unmake(const struct life *self, const char *path)
{
	char whole[512];

	whole_path(self, path, whole, sizeof(whole));
	for (int tries = 0; rmdir(whole) < 0; tries++) { /* EBUSY while a task exits */
		if (errno != EBUSY || tries == 1000)
			fail_msg("rmdir %s: %s", whole, strerror(errno));
		rig_sleep_ms(1);
	}
}

/* A program runs in it, and it is over. */
static void run_in(const struct life *self, const char *path, const char *program)
{
	char procs[512];
	int status;
	pid_t pid;

	assert_true(snprintf(procs, sizeof(procs), "%s%s/cgroup.procs", self->rig->mode.cpu_root,
			     path) < (int)sizeof(procs));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const int fd = open(procs, O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, "0", 1) == 1)
			(void)execl("/bin/sh", "sh", "-c", program, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static uint64_t live(const struct life *self, const char *path, const char *program)
{
	const uint64_t id = make(self, path);

	run_in(self, path, program);
	unmake(self, path);
	return id;
}

static void test_path(char *ret, size_t size, const char *name, unsigned int n)
{
	assert_true(snprintf(ret, size, "/nwtest-%d-%s%u", getpid(), name, n) < (int)size);
}

static void who_lived_ten_milliseconds_has_a_name_and_a_row(void **state)
{
	uint64_t ids[N_LIFE], before, longest_ns = 0;
	char path[128];
	struct life self;

	start(&self, state, 512 * 1024);
	for (unsigned int n = 0; n < N_LIFE; n++) {
		test_path(path, sizeof(path), "short", n);
		before = rig_now_ns();
		ids[n] = live(&self, path, "exit 0");
		if (rig_now_ns() - before > longest_ns)
			longest_ns = rig_now_ns() - before;
	}
	/* Not one directory of them is there any more. */
	drain(&self);
	rig_read(self.rig, &self.rig->after);
	for (unsigned int n = 0; n < N_LIFE; n++) {
		const struct cgroup *cgroup = cgroup_table_find(self.rig->table, ids[n]);
		const struct cgroup_counters *row = snapshot_find(&self.rig->after, ids[n]);

		test_path(path, sizeof(path), "short", n);
		assert_non_null(cgroup);
		assert_string_equal(cgroup->path, path);
		assert_string_equal(cgroup->identity.name, path + 1);
		assert_int_equal(cgroup->parent_id, 1);
		assert_false(cgroup->is_alive);
		assert_non_null(row);
		assert_true(row->sched.ran_ns > 0);
	}
	print_message("20 of 20 named; the longest lived %.1f ms\n", (double)longest_ns / 1e6);
	stop(&self);
}

static void a_death_is_followed_by_a_release(void **state)
{
	char path[128];
	struct life self;
	uint64_t id;

	start(&self, state, 512 * 1024);
	test_path(path, sizeof(path), "gone", 0);
	id = live(&self, path, "exit 0");
	/* The kernel lets go after a grace period; on v2 memory may hold it: then two refreshes. */
	for (int tries = 0; tries < 100; tries++) {
		drain(&self);
		if (cgroup_table_find(self.rig->table, id)->is_released)
			break;
		rig_sleep_ms(10);
	}
	if (self.rig->mode.version != CGROUP_V2)
		assert_true(cgroup_table_find(self.rig->table, id)->is_released);
	for (int i = 0; i < 2; i++)
		assert_int_equal(cgroup_table_refresh(self.rig->table), 0);
	assert_true(cgroup_table_find(self.rig->table, id)->is_released);
	stop(&self);
}

static void a_path_made_again_is_another_cgroup(void **state)
{
	const struct sched_counters zero = {};
	struct sched_counters first, second;
	uint64_t first_id, second_id;
	char path[128];
	struct life self;

	start(&self, state, 512 * 1024);
	test_path(path, sizeof(path), "again", 0);
	first_id = live(&self, path, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
	drain(&self);
	rig_read(self.rig, &self.rig->before);
	second_id = live(&self, path, "exit 0");
	drain(&self);
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
	stop(&self);
}

static void a_container_in_a_pod_is_known_by_both(void **state)
{
	char top[128], pod[256], container[384];
	const struct cgroup *cgroup;
	uint64_t pod_id, id;
	struct life self;

	start(&self, state, 512 * 1024);
	test_path(top, sizeof(top), "kubepods", 0);
	(void)snprintf(pod, sizeof(pod), "%s/%s", top, POD);
	(void)snprintf(container, sizeof(container), "%s/%s", pod, ID);
	hand_down_cpu(&self, "");
	make(&self, top);
	hand_down_cpu(&self, top);
	pod_id = make(&self, pod);
	hand_down_cpu(&self, pod);
	id = live(&self, container, "exit 0");
	unmake(&self, pod);
	unmake(&self, top);
	drain(&self);

	cgroup = cgroup_table_find(self.rig->table, id);
	assert_non_null(cgroup);
	assert_string_equal(cgroup->path, container);
	assert_int_equal(cgroup->parent_id, pod_id);
	assert_true(cgroup->identity.is_container);
	assert_string_equal(cgroup->identity.runtime_id, ID);
	assert_string_equal(cgroup->identity.pod_uid, POD + 3);
	assert_string_equal(cgroup_table_find(self.rig->table, pod_id)->path, pod);
	stop(&self);
}

static void what_the_ring_lost_is_found_by_a_walk(void **state)
{
	uint64_t ids[N_MANY];
	char path[128];
	struct life self;

	start(&self, state, 4096); /* room for some fifty births */
	for (unsigned int n = 0; n < N_MANY; n++) {
		test_path(path, sizeof(path), "many", n);
		ids[n] = make(&self, path);
	}
	drain(&self);
	assert_null(cgroup_table_find(self.rig->table, ids[N_MANY - 1]));
	snapshot_reset(&self.rig->after, 1);
	assert_int_equal(lifecycle_collector.read(self.lifecycle, &self.rig->after, &self.report),
			 0);
	print_message("%llu of 100 births lost\n", (unsigned long long)self.report.ring_lost);
	assert_true(self.report.ring_lost > 0);
	assert_int_equal(self.report.lost, self.report.ring_lost);

	assert_int_equal(cgroup_table_refresh(self.rig->table), 0);
	for (unsigned int n = 0; n < N_MANY; n++) {
		test_path(path, sizeof(path), "many", n);
		assert_non_null(cgroup_table_find(self.rig->table, ids[n]));
		unmake(&self, path);
	}
	stop(&self);
}

static void a_birth_wakes_who_waits(void **state)
{
	struct collector_report report = {};
	struct pollfd waiting = {.events = POLLIN};
	char path[128];
	struct life self;
	pid_t pid;

	start(&self, state, 512 * 1024);
	test_path(path, sizeof(path), "woken", 0);
	waiting.fd = lifecycle_collector.descriptor(self.lifecycle);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		rig_sleep_ms(50);
		make(&self, path);
		_exit(0);
	}
	assert_int_equal(poll(&waiting, 1, 10000), 1);
	drain(&self);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unmake(&self, path);
	drain(&self);

	assert_int_equal(lifecycle_collector.read(self.lifecycle, &self.rig->after, &report), 0);
	assert_int_equal(report.n_programs, 4);
	assert_true(report.programs[0].run_count >= 1);
	assert_true(report.programs[1].run_count >= 1);
	assert_string_equal(report.maps[0].name, "cgroup names");
	assert_true(report.maps[0].used >= 2);
	stop(&self);
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
