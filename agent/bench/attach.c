/*
 * Holds one thing attached until standard input ends:
 *	attach stats | empty | sched
 * Prints "ready" when it is. Costs are read from outside, in /proc/<pid>/fdinfo.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "empty.skel.h"

extern const struct collector sched_collector;

static int ready_and_wait(void)
{
	char byte;

	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}

static int hold_stats(void)
{
	const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd < 0) {
		fprintf(stderr, "attach: BPF run-time statistics: %s; run as root\n",
			strerror(-fd));
		return 1;
	}
	return ready_and_wait();
}

static int hold_empty(void)
{
	struct empty_bpf *skel = empty_bpf__open_and_load();
	int r;

	if (!skel || empty_bpf__attach(skel) < 0) {
		fprintf(stderr, "attach: the empty program: %s\n", strerror(errno));
		empty_bpf__destroy(skel);
		return 1;
	}
	r = ready_and_wait();
	empty_bpf__destroy(skel);
	return r;
}

static int hold_sched(void)
{
	struct collector_report report = {.state = COLLECTOR_FAILED};
	void *state = NULL;
	int r;

	if (sched_collector.open(NULL, NULL, &state, &report) < 0) {
		fprintf(stderr, "attach: sched: %s\n", report.reason);
		return 1;
	}
	r = ready_and_wait();
	sched_collector.close(state);
	return r;
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc == 2 && strcmp(argv[1], "stats") == 0)
		return hold_stats();
	if (argc == 2 && strcmp(argv[1], "empty") == 0)
		return hold_empty();
	if (argc == 2 && strcmp(argv[1], "sched") == 0)
		return hold_sched();
	fprintf(stderr, "usage: attach stats|empty|sched\n");
	return 2;
}
