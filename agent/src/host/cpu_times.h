#pragma once

#include "window/snapshot.h"

/* /proc/stat: all CPUs together, cumulative since boot. */
int host_counters_read(struct host_counters *ret_counters);

/* Pure: the text of /proc/stat, `ticks_per_second` as by sysconf(_SC_CLK_TCK). */
int host_counters_parse(const char *text, uint64_t ticks_per_second,
			struct host_counters *ret_counters);
