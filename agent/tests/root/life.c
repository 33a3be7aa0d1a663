#include "life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* On a busy machine waits get long. */
static void ignore_wait(void *context, const struct wait_event *event)
{
	(void)context;
	(void)event;
}

void life_start(struct life *self, void **state, uint32_t ring_bytes)
{
	*self = (struct life){.rig = rig_of(state), .sink = {.on_wait_event = ignore_wait}};
	if (lifecycle_open_ring(ring_bytes, self->rig->table, &self->lifecycle, &self->report) <
	    0) {
		printf("skip: %s\n", self->report.reason);
		fflush(stdout);
		skip();
	}
	/* As the agent begins: with a walk, after the hooks. */
	assert_int_equal(cgroup_table_refresh(self->rig->table), 0);
}

void life_stop(struct life *self)
{
	lifecycle_collector.close(self->lifecycle);
}

void life_drain(struct life *self)
{
	assert_int_equal(lifecycle_collector.drain(self->lifecycle, &self->sink), 0);
}

static void whole_path(const struct life *self, const char *path, char *ret, size_t size)
{
	assert_true(snprintf(ret, size, "%s%s", self->rig->mode.cpu_root, path) < (int)size);
}

void life_hand_down_cpu(const struct life *self, const char *path)
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

uint64_t life_make(const struct life *self, const char *path)
{
	char whole[512];
	struct stat status;

	whole_path(self, path, whole, sizeof(whole));
	if (mkdir(whole, 0755) < 0)
		fail_msg("mkdir %s: %s", whole, strerror(errno));
	assert_int_equal(stat(whole, &status), 0);
	return status.st_ino;
}

void life_unmake(const struct life *self, const char *path)
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

uint64_t life_live(const struct life *self, const char *path, const char *program)
{
	const uint64_t id = life_make(self, path);

	run_in(self, path, program);
	life_unmake(self, path);
	return id;
}

void life_path(char *ret, const char *name, unsigned int n)
{
	assert_true(snprintf(ret, 128, "/nwtest-%d-%s%u", getpid(), name, n) < 128);
}
