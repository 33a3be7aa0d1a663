#pragma once

#include <stdint.h>

#include "cgroup/mode.h"
#include "window/snapshot.h"

/*
 * Reads one cgroup's usage, throttling, quota and cpuset, all as the kernel gives
 * them, in our units. `cgroup_path` is relative to the hierarchy's root ("/" or "/a/b").
 *
 * `ret_has`: CGROUP_HAS_USAGE and CGROUP_HAS_BANDWIDTH, each only if its files were
 * read. `ret_cpus_allowed`: 0 = unknown. -ENOENT: the cgroup is gone.
 */
int cpu_stat_read(const struct cgroup_mode *mode, const char *cgroup_path,
		  struct cpu_counters *ret_counters, uint32_t *ret_has, uint32_t *ret_cpus_allowed);
