#pragma once

/*
 * When each (CPU, cgroup), which is one cfs_rq, was throttled: from the kernel's accumulator.
 * It grows when a span ends, so a span is told by the first event after it.
 */
#include <stddef.h>
#include <stdint.h>

#include "trace.h"

struct throttled_span {
	uint64_t start, end; /* rq clock */
};

struct throttled_queue {
	uint64_t cgroup_id;
	uint32_t cpu;
	int is_known;
	uint64_t total_ns;   /* the accumulator as last seen */
	uint64_t open_since; /* of a span that is not over; 0 = none seen */
	uint64_t guessed_ns; /* of spans whose start nobody saw: taken to end when they were seen */
	struct throttled_span *spans;
	size_t n, capacity;
};

struct throttles {
	struct throttled_queue *queues;
	size_t n, capacity;
};

/* Every event, for each of its tasks. */
void throttles_observe(struct throttles *self, uint32_t cpu, uint64_t clock,
		       const struct truth_task *task);
/* NULL: never throttled. */
const struct throttled_queue *throttles_find(const struct throttles *self, uint32_t cpu,
					     uint64_t cgroup_id);
/* The end of the span in which `at` lies, at most `limit`; `at` if it lies in none. */
uint64_t throttled_until(const struct throttled_queue *queue, uint64_t at, uint64_t limit);
void throttles_free(struct throttles *self);
