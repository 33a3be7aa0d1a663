/*
 * Runs a plan (plan.h) and traces it:
 *	nwtruth PLAN DIRECTORY
 * The directory then has trace.bin, groups.txt, checks.txt, cpu_stat_{before,after}.txt, edges.txt
 * and, if the plan has an agent, its windows in agent.jsonl. Needs root and nothing else: no
 * Python, no tracefs. Ends by itself; leaves no cgroup and no process.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "groups.h"
#include "plan.h"
#include "tracer.h"

#define NS_PER_MS	1000000ULL
#define PAUSE_MS	10
#define FIRST_WINDOW_MS 120000 /* emulated machines are slow to load BPF */
#define SPARE_SECONDS	180    /* loads end by themselves should we be killed */

struct run {
	struct plan plan;
	struct groups groups;
	struct checks checks;
	struct tracer *tracer;
	pid_t loads[PLAN_MAX_LOADS];
	size_t n_loads;
	pid_t agent;
	const char *directory;
	uint64_t judge_from_ns, judge_to_ns; /* CLOCK_MONOTONIC */
};

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
	(void)number;
	stop_asked = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static const char *file_of(const struct run *run, const char *name)
{
	static char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", run->directory, name);
	return path;
}

/* Keeps the ring empty meanwhile. */
static int drain_for(struct run *run, uint64_t ms)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * NS_PER_MS};
	const uint64_t until = now_ns() + ms * NS_PER_MS;

	while (now_ns() < until) {
		int r = tracer_drain(run->tracer);

		if (r < 0)
			return r;
		if (stop_asked)
			return -EINTR;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	return 0;
}

static pid_t start_load(const struct run *run, const struct plan_load *load)
{
	char *arguments[PLAN_MAX_WORDS + 8], bound[32], parent[32], name[96];
	const struct plan_group *group = &run->plan.groups[load->group];
	const uint64_t seconds = (run->plan.warm_ms + run->plan.judge_ms) / 1000 + SPARE_SECONDS;
	const pid_t self = getpid();
	size_t n = 0;
	pid_t pid;

	(void)snprintf(bound, sizeof(bound), "--seconds=%" PRIu64, seconds);
	(void)snprintf(parent, sizeof(parent), "--parent=%d", self);
	(void)snprintf(name, sizeof(name), "--name=%s", group->name);
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	arguments[n++] = strdup(run->plan.loader);
	arguments[n++] = bound;
	arguments[n++] = parent;
	arguments[n++] = name;
	memcpy(arguments + n, load->arguments, load->n_arguments * sizeof(*arguments));
	arguments[n + load->n_arguments] = NULL;
	const int r = groups_enter(&run->groups, group);
	if (r < 0) {
		fprintf(stderr, "nwtruth: cannot enter %s: %s\n", group->path, strerror(-r));
		_exit(127);
	}
	execv(arguments[0], arguments);
	fprintf(stderr, "nwtruth: %s: %s\n", arguments[0], strerror(errno));
	_exit(127);
}

/*
 * The agent runs first in, first out, ahead of the loads: its window must be read when it ends,
 * or the two sides would not speak of the same second.
 */
static pid_t start_agent(const struct run *run)
{
	const struct sched_param ahead = {.sched_priority = 2};
	char output[1024], errors[1024];
	pid_t pid;

	(void)snprintf(output, sizeof(output), "%s", file_of(run, "agent.jsonl"));
	(void)snprintf(errors, sizeof(errors), "%s", file_of(run, "agent.log"));
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	const int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    sched_setscheduler(0, SCHED_FIFO, &ahead) < 0)
		_exit(127);
	execv(run->plan.agent[0], run->plan.agent);
	dprintf(2, "nwtruth: %s: %s\n", run->plan.agent[0], strerror(errno));
	_exit(127);
}

/* Events may come before the first window. */
static bool has_a_window(const char *path)
{
	char chunk[65536];
	FILE *file = fopen(path, "re");
	size_t length;
	bool has;

	if (!file)
		return false;
	do {
		length = fread(chunk, 1, sizeof(chunk) - 1, file);
		chunk[length] = '\0';
		has = strstr(chunk, "\"cgroups\":") != NULL;
	} while (!has && length == sizeof(chunk) - 1);
	fclose(file);
	return has;
}

static int wait_for_first_window(struct run *run)
{
	for (uint64_t waited = 0; waited < FIRST_WINDOW_MS; waited += 50) {
		int r = drain_for(run, 50);

		if (r < 0)
			return r;
		if (has_a_window(file_of(run, "agent.jsonl")))
			return 0;
		if (waitpid(run->agent, NULL, WNOHANG) == run->agent) {
			run->agent = 0;
			fprintf(stderr, "nwtruth: the agent ended: see agent.log\n");
			return -ECHILD;
		}
	}
	fprintf(stderr, "nwtruth: no window within %d s\n", FIRST_WINDOW_MS / 1000);
	return -ETIMEDOUT;
}

static int start(struct run *run)
{
	int r = groups_make(&run->groups, &run->plan);

	if (r == 0)
		r = groups_write_ids(&run->groups, &run->plan, file_of(run, "groups.txt"));
	if (r < 0)
		return r;
	r = tracer_open((uint32_t)run->plan.ring_mib << 20, run->plan.trace_mib << 20,
			&run->tracer);
	if (r < 0) {
		fprintf(stderr, "nwtruth: the tracer: %s\n", strerror(-r));
		return r;
	}
	for (size_t i = 0; i < run->plan.n_loads; i++) {
		run->loads[i] = start_load(run, &run->plan.loads[i]);
		if (run->loads[i] < 0)
			return -errno;
		run->n_loads++;
	}
	if (!run->plan.agent[0])
		return 0;
	run->agent = start_agent(run);
	return run->agent < 0 ? -errno : wait_for_first_window(run);
}

static int judge(struct run *run)
{
	int r = drain_for(run, run->plan.warm_ms);

	if (r == 0)
		r = groups_write_cpu_stat(&run->groups, &run->plan,
					  file_of(run, "cpu_stat_before.txt"));
	for (size_t i = 0; r == 0 && i < run->n_loads; i++)
		r = checks_begin(&run->checks, run->loads[i], run->plan.loads[i].group);
	run->judge_from_ns = now_ns();
	if (r == 0)
		r = drain_for(run, run->plan.judge_ms);
	run->judge_to_ns = now_ns();
	if (r == 0)
		r = checks_end(&run->checks);
	if (r == 0)
		r = groups_write_cpu_stat(&run->groups, &run->plan,
					  file_of(run, "cpu_stat_after.txt"));
	/* What waits now may have waited in what is judged: see it end. */
	return r < 0 ? r : drain_for(run, 100);
}

static int end_agent(struct run *run)
{
	int status = 0;

	if (run->agent <= 0)
		return 0;
	kill(run->agent, SIGTERM);
	for (int tries = 0; tries < 500; tries++) {
		if (waitpid(run->agent, &status, WNOHANG) == run->agent) {
			run->agent = 0;
			return 0;
		}
		(void)tracer_drain(run->tracer);
		clock_nanosleep(CLOCK_MONOTONIC, 0,
				&(struct timespec){.tv_nsec = PAUSE_MS * NS_PER_MS}, NULL);
	}
	kill(run->agent, SIGKILL);
	waitpid(run->agent, &status, 0);
	fprintf(stderr, "nwtruth: the agent did not end on SIGTERM\n");
	return -ETIMEDOUT;
}

static int write_results(struct run *run, uint64_t agent_pid)
{
	FILE *file;
	int r = tracer_write(run->tracer, file_of(run, "trace.bin"), agent_pid);

	if (r == 0)
		r = checks_write(&run->checks, file_of(run, "checks.txt"));
	file = r == 0 ? fopen(file_of(run, "edges.txt"), "we") : NULL;
	if (!file)
		return r < 0 ? r : -errno;
	const uint64_t offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);

	/* Monotonic, then since 1970. */
	fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", run->judge_from_ns,
		run->judge_to_ns, run->judge_from_ns + offset_ns, run->judge_to_ns + offset_ns);
	return fclose(file) == 0 ? 0 : -EIO;
}

static void end_loads(struct run *run)
{
	for (size_t i = 0; i < run->n_loads; i++) {
		kill(run->loads[i], SIGKILL);
		waitpid(run->loads[i], NULL, 0);
	}
	run->n_loads = 0;
}

static int end(struct run *run)
{
	int r;

	end_loads(run);
	r = end_agent(run);
	tracer_close(run->tracer);
	return groups_remove(&run->groups) < 0 ? -EBUSY : r;
}

int main(int argc, char **argv)
{
	static struct run run;
	const struct sigaction stop = {.sa_handler = ask_to_stop};
	/* So that what is read at an edge is read there; children are ordinary again. */
	const struct sched_param ahead = {.sched_priority = 1};
	pid_t agent_pid;
	int r, ended;

	if (argc != 3) {
		fprintf(stderr, "usage: nwtruth PLAN DIRECTORY\n");
		return 2;
	}
	run.directory = argv[2];
	if (plan_read(argv[1], &run.plan) < 0)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &ahead) < 0)
		fprintf(stderr, "nwtruth: no real-time priority: %s\n", strerror(errno));
	r = start(&run);
	agent_pid = run.agent;
	if (r == 0)
		r = judge(&run);
	/* The loads first: beside them the kernel's own threads, which detach BPF, get next to nothing. */
	end_loads(&run);
	ended = end_agent(&run);
	if (r == 0)
		r = ended;
	if (r == 0)
		r = write_results(&run, (uint64_t)agent_pid);
	ended = end(&run);
	if (r == 0)
		r = ended;
	if (r < 0)
		fprintf(stderr, "nwtruth: %s\n", strerror(-r));
	free(run.plan.text);
	return r < 0;
}
