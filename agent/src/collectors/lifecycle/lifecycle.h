#pragma once

#include <stdint.h>

#include "collectors/collector.h"

/* As the collector's open, with a ring of that many bytes: a power of two, whole pages. */
int lifecycle_open_ring(uint32_t ring_bytes, struct cgroup_table *cgroups, void **ret_state,
			struct collector_report *ret_report);
