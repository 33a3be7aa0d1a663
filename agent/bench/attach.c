/*
 * Holds one thing attached until standard input ends:
 *	attach stats | empty | event_stream | sched [LEVEL]
 * LEVEL switches the first so many of the collector's optional parts off.
 * Prints "ready" when it is. Costs are read from outside, in /proc/<pid>/fdinfo.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "empty.skel.h"
#include "event_stream.skel.h"

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

static int count_event(void *context, void *data, size_t size)
{
	uint64_t *count = context;

	(void)data;
	*count += size > 0;
	return 0;
}

/* Somebody must read the stream, or its cost would be that of a full ring. */
static int read_stream(struct ring_buffer *ring)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = ring_buffer__epoll_fd(ring), .events = POLLIN}};

	printf("ready\n");
	fflush(stdout);
	while (poll(fds, 2, -1) >= 0 && !fds[0].revents)
		if (ring_buffer__consume(ring) < 0)
			return 1;
	return 0;
}

static int hold_event_stream(void)
{
	struct event_stream_bpf *skel = event_stream_bpf__open_and_load();
	struct ring_buffer *ring = NULL;
	uint64_t count = 0;
	int r = 1;

	if (skel && event_stream_bpf__attach(skel) == 0)
		ring = ring_buffer__new(bpf_map__fd(skel->maps.events), count_event, &count, NULL);
	if (ring)
		r = read_stream(ring);
	else
		fprintf(stderr, "attach: the event stream: %s\n", strerror(errno));
	ring_buffer__free(ring);
	event_stream_bpf__destroy(skel);
	return r;
}

static int hold_sched(unsigned int level)
{
	struct collector_report report = {.state = COLLECTOR_FAILED};
	void *state = NULL;
	int r;

	if (sched_collector.open(NULL, NULL, &state, &report) < 0) {
		fprintf(stderr, "attach: sched: %s\n", report.reason);
		return 1;
	}
	if (level > 0 &&
	    (!sched_collector.set_level || sched_collector.set_level(state, level) < 0)) {
		fprintf(stderr, "attach: sched has no level %u\n", level);
		sched_collector.close(state);
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
	if (argc == 2 && strcmp(argv[1], "event_stream") == 0)
		return hold_event_stream();
	if (argc >= 2 && argc <= 3 && strcmp(argv[1], "sched") == 0)
		return hold_sched(argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0);
	fprintf(stderr, "usage: attach stats|empty|event_stream|sched [LEVEL]\n");
	return 2;
}
