#pragma once

#include "window/snapshot.h"

/*
 * PURE: the texts of the kernel's files -> numbers. Unknown lines are left alone;
 * a wanted one that is malformed is -EINVAL and leaves the result untouched.
 */

/* cpu.stat of v2 (usec) or v1 (throttled_time in ns, no usage). */
int cpu_stat_parse(const char *text, struct cpu_counters *counters, uint32_t *ret_has);

/* cpu.max of v2: "max 100000" or "20000 100000". No quota gives 0. */
int cpu_max_parse(const char *text, struct cpu_counters *counters);

/* cpu.cfs_quota_us of v1: "-1" or "20000". No quota gives 0. */
int cfs_quota_parse(const char *text, uint64_t *ret_quota_us);

/* cpuacct.stat of v1: "user N\nsystem N\n" in ticks. */
int cpuacct_stat_parse(const char *text, uint64_t ticks_per_second, struct cpu_counters *counters);

/* A file with one number and a newline. */
int number_file_parse(const char *text, uint64_t *ret_number);
