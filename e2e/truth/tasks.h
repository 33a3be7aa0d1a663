#pragma once

/* What the trace last told of each task. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_state {
	uint32_t pid; /* 0 = free */
	bool is_known;
	bool is_throttled_out; /* it left its CPU, or was moved, because its quota had run out */
	uint64_t run_delay, pcount; /* after what was last seen */
	uint64_t queued_at; /* by the trace's own events: wakeup or preemption; 0 = neither */
	uint64_t woken_at;  /* by a wakeup, not by preemption; 0 = not */
};

struct tasks {
	struct task_state *cells;
	size_t n, capacity; /* a power of two */
};

/* Finds or adds. The pointer holds until the next call. */
struct task_state *tasks_find(struct tasks *self, uint32_t pid);
void tasks_free(struct tasks *self);
