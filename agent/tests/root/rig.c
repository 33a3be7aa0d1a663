#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const struct collector sched_collector;

#define TEST_TIMEOUT_S 120 /* emulated machines run the same tests */

uint64_t rig_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void rig_sleep_ms(unsigned int ms)
{
	const struct timespec span = {ms / 1000, (long)(ms % 1000) * 1000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

/* --- set-up ---------------------------------------------------------------------------- */

int rig_set_up(void **state)
{
	struct rig *self = calloc(1, sizeof(*self));

	assert_non_null(self);
	*state = self;
	alarm(TEST_TIMEOUT_S); /* a hang ends the program; children die with it */
	assert_int_equal(cgroup_mode_detect("/proc/self/mountinfo", &self->mode), 0);
	assert_int_equal(cgroup_table_new(&self->mode, 4096, &self->table), 0);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_int_equal(snapshot_init(&self->before, 4096, 262144), 0);
	assert_int_equal(snapshot_init(&self->after, 4096, 262144), 0);
	if (sched_collector.open(NULL, self->table, &self->sched, &self->report) < 0)
		self->sched = NULL;
	return 0;
}

struct rig *rig_of(void **state)
{
	struct rig *self = *state;

	if (!self->sched) {
		printf("skip: %s\n", self->report.reason);
		fflush(stdout);
		skip();
	}
	return self;
}

int rig_tear_down(void **state)
{
	struct rig *self = *state;

	for (size_t i = 0; i < self->n_children; i++)
		rig_kill(self, self->children[i]);
	for (size_t i = self->n_cgroups; i > 0; i--)
		rig_remove_cgroup(self, &self->cgroups[i - 1]);
	sched_collector.close(self->sched);
	snapshot_free(&self->before);
	snapshot_free(&self->after);
	cgroup_table_free(self->table);
	free(self);
	alarm(0);
	return 0;
}

/* --- cgroups --------------------------------------------------------------------------- */

static void file_path(const struct rig *self, const struct rig_cgroup *cgroup, const char *file,
		      char *ret_path, size_t size)
{
	assert_true(snprintf(ret_path, size, "%s%s/%s", self->mode.cpu_root, cgroup->path, file) <
		    (int)size);
}

static void write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail_msg("writing '%s' to %s: %s", text, path, strerror(errno));
	close(fd);
}

void rig_write(const struct rig *self, const struct rig_cgroup *cgroup, const char *file,
	       const char *text)
{
	char path[512];

	file_path(self, cgroup, file, path, sizeof(path));
	write_text(path, text);
}

const struct rig_cgroup *rig_make_cgroup(struct rig *self, const char *name)
{
	struct rig_cgroup *cgroup;
	struct stat directory;
	char path[512];

	if (self->n_cgroups == RIG_MAX_CGROUPS)
		abort();
	if (self->mode.version == CGROUP_V2) {
		(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control",
			       self->mode.cpu_root);
		write_text(path, "+cpu");
	}
	cgroup = &self->cgroups[self->n_cgroups++];
	(void)snprintf(cgroup->path, sizeof(cgroup->path), "/nwtest-%d-%s", getpid(), name);
	file_path(self, cgroup, "", path, sizeof(path));
	if (mkdir(path, 0755) < 0)
		fail_msg("mkdir %s: %s", path, strerror(errno));
	assert_int_equal(stat(path, &directory), 0);
	cgroup->id = directory.st_ino;
	return cgroup;
}

void rig_remove_cgroup(struct rig *self, const struct rig_cgroup *cgroup)
{
	const size_t at = (size_t)(cgroup - self->cgroups);
	char path[512];

	file_path(self, cgroup, "", path, sizeof(path));
	for (int tries = 0; rmdir(path) < 0; tries++) { /* EBUSY while a killed child leaves */
		if (errno != EBUSY || tries == 1000)
			fail_msg("rmdir %s: %s", path, strerror(errno));
		rig_sleep_ms(1);
	}
	memmove(&self->cgroups[at], &self->cgroups[at + 1],
		(self->n_cgroups - at - 1) * sizeof(*cgroup));
	self->n_cgroups--;
}

void rig_set_quota(const struct rig *self, const struct rig_cgroup *cgroup, unsigned int quota_us,
		   unsigned int period_us)
{
	char text[64];

	if (self->mode.version == CGROUP_V2) {
		(void)snprintf(text, sizeof(text), "%u %u", quota_us, period_us);
		rig_write(self, cgroup, "cpu.max", text);
		return;
	}
	(void)snprintf(text, sizeof(text), "%u", period_us);
	rig_write(self, cgroup, "cpu.cfs_period_us", text);
	(void)snprintf(text, sizeof(text), "%u", quota_us);
	rig_write(self, cgroup, "cpu.cfs_quota_us", text);
}

void rig_favour(const struct rig *self, const struct rig_cgroup *cgroup)
{
	if (self->mode.version == CGROUP_V2)
		rig_write(self, cgroup, "cpu.weight", "2000");
	else
		rig_write(self, cgroup, "cpu.shares", "20480");
}

uint64_t rig_cpu_stat(const struct rig *self, const struct rig_cgroup *cgroup, const char *key)
{
	char path[512];

	file_path(self, cgroup, "cpu.stat", path, sizeof(path));
	return rig_number_after(path, key);
}

/* --- children -------------------------------------------------------------------------- */

void work_spin(void)
{
	for (;;)
		__asm__ volatile("");
}

void work_doze(void)
{
	for (;;) {
		const uint64_t until = rig_now_ns() + 200000;

		while (rig_now_ns() < until)
			;
		rig_sleep_ms(1);
	}
}

void rig_pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	assert_int_equal(sched_setaffinity(pid, sizeof(set), &set), 0);
}

/*
 * A stopped task says so before it leaves its CPU, and on an emulated machine it may stay there
 * for long: its books still move. The kernel reads its system call only once it is gone.
 */
static void wait_until_off_cpu(pid_t pid)
{
	char path[64], text[16] = "";
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (int tries = 0; tries < 1000; tries++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return; /* a kernel without CONFIG_HAVE_ARCH_TRACEHOOK */
		assert_true(read(fd, text, sizeof(text) - 1) > 0);
		close(fd);
		if (strncmp(text, "running", 7) != 0)
			return;
		rig_sleep_ms(1);
	}
	fail_msg("%d is stopped and still runs", pid);
}

void rig_stop(pid_t pid)
{
	int status = 0;

	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	wait_until_off_cpu(pid);
}

void rig_continue(pid_t pid)
{
	assert_int_equal(kill(pid, SIGCONT), 0);
}

pid_t rig_spawn(struct rig *self, const struct rig_cgroup *cgroup, int cpu, void (*work)(void))
{
	char text[32], go = 0;
	int start[2];
	pid_t pid;

	if (self->n_children == RIG_MAX_CHILDREN)
		abort();
	assert_int_equal(pipe(start), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(TEST_TIMEOUT_S);
		close(start[1]);
		if (read(start[0], &go, 1) != 1)
			_exit(1);
		/* A program is attached for as long as anybody holds its link. */
		if (close_range(3, ~0U, 0) == 0)
			work();
		_exit(1);
	}
	self->children[self->n_children++] = pid;
	(void)snprintf(text, sizeof(text), "%d", pid);
	rig_write(self, cgroup, "cgroup.procs", text);
	if (cpu >= 0)
		rig_pin(pid, cpu);
	close(start[0]);
	assert_int_equal(write(start[1], &go, 1), 1);
	close(start[1]);
	return pid;
}

void rig_kill(struct rig *self, pid_t pid)
{
	for (size_t i = 0; i < self->n_children; i++) {
		if (pid <= 0 || self->children[i] != pid) /* kill(0) would end ourselves */
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		self->children[i] = 0;
	}
}
