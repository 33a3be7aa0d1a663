/*
 * What truly happened in a traced run (nwtruth.c), between two instants:
 *	replay DIRECTORY [FROM_UNIX_NS TO_UNIX_NS]
 * JSON on standard output. An edge is taken at the agent's first run at or after it, because that
 * is when it reads. Without edges: the whole judged time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "report.h"

#define NS_PER_MS   1000000ULL
#define MAX_LATE_NS (100 * NS_PER_MS)
#define EARLY_NS    NS_PER_MS /* the timer may be as early as the clocks are apart */

static const char *file_of(const char *directory, const char *name)
{
	static char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static uint64_t agent_edge(const struct replay *replay, uint64_t asked_ns)
{
	for (size_t i = 0; i < replay->n_agent_ran; i++) {
		const uint64_t at = replay->agent_ran_at_ns[i];

		if (at + EARLY_NS >= asked_ns)
			return at <= asked_ns + MAX_LATE_NS ? at : asked_ns;
	}
	return asked_ns;
}

static int read_edges(const char *path, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	FILE *file = fopen(path, "re");
	char line[128];
	uint64_t edges[2];
	int r;

	if (!file)
		return -errno;
	r = fgets(line, sizeof(line), file) ? numbers_parse(line, edges, 2) : -EINVAL;
	fclose(file);
	if (r < 0)
		return r;
	*ret_from_ns = edges[0];
	*ret_to_ns = edges[1];
	return 0;
}

static void check(const struct replay *replay, const struct check *checks, size_t n,
		  struct check_sum *ret)
{
	for (size_t i = 0; i < n; i++) {
		const struct check *at = &checks[i];
		const uint64_t found = blame_wait_of(replay, at->pid, at->from_ns, at->to_ns);
		struct check_sum *sum = &ret[at->party];

		sum->kernel_ns += at->run_delay_ns;
		sum->replay_ns += found;
		sum->off_ns += found > at->run_delay_ns ? found - at->run_delay_ns
							: at->run_delay_ns - found;
	}
}

static int judge(const char *directory, const struct trace_file *trace, struct replay *replay,
		 const char *const edges[2])
{
	static struct ledger ledgers[MAX_PARTIES];
	static struct check_sum checked[MAX_PARTIES];
	struct report report = {trace->header, replay, ledgers, checked, 0, 0, 0};
	const uint64_t offset_ns = trace->header->realtime_minus_monotonic_ns;
	struct check *checks;
	size_t n_checks;
	int r;

	if (edges[0]) {
		const uint64_t to_ns = strtoull(edges[1], NULL, 10) - offset_ns;

		report.from_ns = agent_edge(replay, strtoull(edges[0], NULL, 10) - offset_ns);
		report.to_ns = agent_edge(replay, to_ns);
		report.late_ns = report.to_ns > to_ns ? report.to_ns - to_ns : 0;
	} else {
		r = read_edges(file_of(directory, "edges.txt"), &report.from_ns, &report.to_ns);
		if (r < 0)
			return r;
	}
	r = checks_read(file_of(directory, "checks.txt"), &checks, &n_checks);
	if (r < 0)
		return r;
	blame_between(replay, report.from_ns, report.to_ns, ledgers);
	check(replay, checks, n_checks, checked);
	free(checks);
	report_write(&report, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	static struct replay replay;
	const char *const edges[2] = {argc == 4 ? argv[2] : NULL, argc == 4 ? argv[3] : NULL};
	struct trace_file trace;
	int r;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: replay DIRECTORY [FROM_UNIX_NS TO_UNIX_NS]\n");
		return 2;
	}
	if (parties_read(file_of(argv[1], "groups.txt"), &replay.parties) < 0 ||
	    trace_file_open(file_of(argv[1], "trace.bin"), &trace) < 0)
		return 1;
	r = trace_file_replay(&trace, &replay);
	if (r == 0)
		r = judge(argv[1], &trace, &replay, edges);
	if (r < 0)
		fprintf(stderr, "replay: %s: %s\n", argv[1], strerror(-r));
	trace_file_close(&trace);
	replay_free(&replay);
	return r < 0;
}
