/*
 * The loads of the cost benchmarks, bounded in time:
 *	load switch SECONDS	one ping-pong pair pinned to each CPU
 *	load crowd SECONDS	48 tasks in 16 cgroups: 40 us of work, 40 us of sleep
 *	load cgroups SECONDS	256 tasks in 256 cgroups: 100 us of work, 100 ms of sleep
 * Ends on SIGTERM, SIGINT, its parent's death or after SECONDS; leaves no process or cgroup.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "cgroup/mode.h"

#define MAX_CGROUPS 256
#define MAX_TASKS   1024

/* Tasks in cgroups that work and sleep in turn. */
struct crowd {
	const char *name;
	size_t n_cgroups;
	int tasks_per_cgroup;
	uint64_t work_ns;
	long sleep_ns;
};

static const struct crowd crowds[] = {
	{"crowd", 16, 3, 40000, 40000},
	{"cgroups", MAX_CGROUPS, 1, 100000, 100000000},
};

struct load {
	struct cgroup_mode mode;
	pid_t tasks[MAX_TASKS];
	size_t n_tasks;
	char cgroups[MAX_CGROUPS][320];
	size_t n_cgroups;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In a child the signals that end the load must end it at once. */
static pid_t fork_task(struct load *self)
{
	pid_t pid;

	if (self->n_tasks == MAX_TASKS)
		return -ENOSPC;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid > 0) {
		self->tasks[self->n_tasks++] = pid;
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return 0;
}

static void ping_pong(int in, int out)
{
	char ball = 0;

	while (read(in, &ball, 1) == 1 && write(out, &ball, 1) == 1)
		;
	_exit(0);
}

static int start_pair(struct load *self, size_t cpu)
{
	int there[2], back[2];
	cpu_set_t set;
	char ball = 0;

	if (pipe(there) < 0 || pipe(back) < 0)
		return -errno;
	for (int side = 0; side < 2; side++) {
		const pid_t pid = fork_task(self);

		if (pid < 0)
			return pid;
		if (pid > 0)
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) < 0)
			_exit(1);
		ping_pong(side == 0 ? there[0] : back[0], side == 0 ? back[1] : there[1]);
	}
	if (write(there[1], &ball, 1) != 1)
		return -errno;
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return 0;
}

static int start_switch(struct load *self)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return -errno;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const int r = CPU_ISSET(cpu, &allowed) ? start_pair(self, cpu) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static void crowd_task(const struct crowd *crowd)
{
	const struct timespec nap = {.tv_nsec = crowd->sleep_ns};

	prctl(PR_SET_TIMERSLACK, 1UL);
	for (;;) {
		const uint64_t until = now_ns() + crowd->work_ns;

		while (now_ns() < until)
			;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	}
}

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	bool is_ok;

	if (!file)
		return -errno;
	is_ok = fputs(text, file) >= 0;
	return fclose(file) == 0 && is_ok ? 0 : -EIO;
}

static int start_crowd(struct load *self, const struct crowd *crowd)
{
	char path[400], text[32];
	int r = cgroup_mode_detect("/proc/self/mountinfo", &self->mode);

	if (r < 0)
		return r;
	if (self->mode.version == CGROUP_V2) {
		(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control",
			       self->mode.cpu_root);
		r = write_file(path, "+cpu");
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < crowd->n_cgroups; i++) {
		char *directory = self->cgroups[i];

		(void)snprintf(directory, sizeof(self->cgroups[i]), "%s/nwbench-%d-%zu",
			       self->mode.cpu_root, getpid(), i);
		if (mkdir(directory, 0755) < 0)
			return -errno;
		self->n_cgroups++;
		for (int task = 0; task < crowd->tasks_per_cgroup; task++) {
			const pid_t pid = fork_task(self);

			if (pid < 0)
				return pid;
			if (pid == 0)
				crowd_task(crowd);
			(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
			(void)snprintf(text, sizeof(text), "%d", pid);
			r = write_file(path, text);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int stop(struct load *self)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	int r = 0;

	for (size_t i = 0; i < self->n_tasks; i++)
		kill(self->tasks[i], SIGKILL);
	for (size_t i = 0; i < self->n_tasks; i++)
		waitpid(self->tasks[i], NULL, 0);
	for (size_t i = 0; i < self->n_cgroups; i++) {
		int tries = 0;

		while (rmdir(self->cgroups[i]) < 0 && errno == EBUSY && tries++ < 1000)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, NULL);
		if (access(self->cgroups[i], F_OK) == 0) {
			fprintf(stderr, "load: %s is left behind\n", self->cgroups[i]);
			r = 1;
		}
	}
	return r;
}

static int start(struct load *self, const char *name)
{
	if (strcmp(name, "switch") == 0)
		return start_switch(self);
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++)
		if (strcmp(name, crowds[i].name) == 0)
			return start_crowd(self, &crowds[i]);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	static struct load load;
	struct timespec span = {};
	uint64_t seconds;
	sigset_t ends;
	int r;

	if (argc != 3 || parse_u64(argv[2], 3600, NULL, &seconds) < 0) {
		fprintf(stderr, "usage: load switch|crowd|cgroups SECONDS\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);

	r = start(&load, argv[1]);
	if (r < 0) {
		fprintf(stderr, "load: %s: %s\n", argv[1], strerror(-r));
	} else {
		printf("ready\n");
		fflush(stdout);
		span.tv_sec = (time_t)seconds;
		(void)sigtimedwait(&ends, NULL, &span);
	}
	return stop(&load) != 0 || r < 0;
}
