#pragma once

#include <stdbool.h>

#include "window/snapshot.h"

/*
 * PURE: new - old of one cgroup's counters. Each returns false, and writes nothing, when a
 * counter went back: then the two are not of the same life. `ret` may not be an input.
 * max_wait_ns is that of `new`: it is the one that does not accumulate. Histograms wrap.
 */
bool sched_difference(const struct sched_counters *old, const struct sched_counters *new,
		      struct sched_counters *ret);

/* usage, user, system. */
bool usage_difference(const struct cpu_counters *old, const struct cpu_counters *new,
		      struct cpu_counters *ret);

/* periods and throttling; quota, period and burst are those of `new`. */
bool bandwidth_difference(const struct cpu_counters *old, const struct cpu_counters *new,
			  struct cpu_counters *ret);

/*
 * Never fails: /proc/stat's idle and iowait may step back a little (a CPU's sleep is accounted
 * late), which counts as nothing happened. All zero where one of the two was not read.
 */
void host_difference(const struct host_counters *old, const struct host_counters *new,
		     struct host_counters *ret);

/* Of two cgroups, or of two records of one: sums, and the longer of the two longest waits. */
void sched_add(struct sched_counters *self, const struct sched_counters *other);
