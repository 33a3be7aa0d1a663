#include "host/cpu_times.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"

#define STAT_MAX_BYTES (1024 * 1024UL) /* the interrupt line grows with the number of CPUs */
#define NS_PER_SECOND  1000000000ULL

/* user nice system idle iowait irq softirq steal; guest time is already in user and nice. */
#define N_TIMES 8

static int parse_times(const char *text, uint64_t ns_per_tick, uint64_t times[N_TIMES])
{
	for (int i = 0; i < N_TIMES; i++) {
		int r;

		while (*text == ' ')
			text++;
		r = parse_u64(text, UINT64_MAX / ns_per_tick, &text, &times[i]);
		if (r < 0)
			return r;
		times[i] *= ns_per_tick;
	}
	return 0;
}

int host_counters_parse(const char *text, uint64_t ticks_per_second,
			struct host_counters *ret_counters)
{
	struct host_counters counters = {0};
	uint64_t times[N_TIMES];
	bool has_times = false, has_switches = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		int r = 0;

		line += *line == '\n';
		if (strncmp(line, "cpu ", 4) == 0) {
			r = parse_times(line + 4, NS_PER_SECOND / ticks_per_second, times);
			has_times = true;
		} else if (strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3])) {
			counters.cpus_online++;
		} else if (strncmp(line, "ctxt ", 5) == 0) {
			const char *end;

			r = parse_u64(line + 5, UINT64_MAX, &end, &counters.context_switches);
			has_switches = true;
		}
		if (r < 0)
			return r;
	}
	if (!has_times || !has_switches || counters.cpus_online == 0)
		return -EINVAL;

	counters.user_ns = times[0] + times[1];
	counters.system_ns = times[2] + times[5] + times[6];
	counters.idle_ns = times[3];
	counters.iowait_ns = times[4];
	counters.steal_ns = times[7];
	*ret_counters = counters;
	return 0;
}

int host_counters_read(struct host_counters *ret_counters)
{
	cleanup(freep) char *text = NULL;
	int r;

	r = file_read(AT_FDCWD, "/proc/stat", STAT_MAX_BYTES, &text, NULL);
	if (r < 0)
		return r;
	return host_counters_parse(text, (uint64_t)sysconf(_SC_CLK_TCK), ret_counters);
}
