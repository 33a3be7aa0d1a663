#include "throttle.h"

#include <stdbool.h>

#include "grow.h"

/* A switch-out and its throttling are the same moment but for the code between them. */
#define SAME_MOMENT_NS 100000

static struct throttled_queue *find_or_add(struct throttles *self, uint32_t cpu, uint64_t cgroup_id)
{
	for (size_t i = 0; i < self->n; i++)
		if (self->queues[i].cgroup_id == cgroup_id && self->queues[i].cpu == cpu)
			return &self->queues[i];
	self->queues = grow(self->queues, self->n, &self->capacity, sizeof(*self->queues));
	self->queues[self->n] = (struct throttled_queue){.cgroup_id = cgroup_id, .cpu = cpu};
	return &self->queues[self->n++];
}

/* `begun`: of the newest span, if this is it; else 0. */
static void add_span(struct throttled_queue *queue, uint64_t clock, uint64_t begun,
		     uint64_t length_ns)
{
	uint64_t start = queue->open_since;

	if (start == 0 && begun != 0 && begun + length_ns <= clock) {
		start = begun;
	} else if (start == 0) {
		start = clock - length_ns;
		queue->guessed_ns += length_ns;
	}
	queue->spans = grow(queue->spans, queue->n, &queue->capacity, sizeof(*queue->spans));
	queue->spans[queue->n++] = (struct throttled_span){start, start + length_ns};
}

void throttles_observe(struct throttles *self, uint32_t cpu, uint64_t clock,
		       const struct truth_task *task)
{
	/* Where tasks are throttled one by one, a throttled group may have none that is. */
	const bool is_open =
		task->throttled_since != 0 ||
		(task->flags & (TRUTH_GROUP_THROTTLED | TRUTH_BY_TASK)) == TRUTH_GROUP_THROTTLED;
	struct throttled_queue *queue;

	if (task->pid == 0 || (task->throttled_ns == 0 && !is_open))
		return;
	queue = find_or_add(self, cpu, task->cgroup_id);
	if (!queue->is_known) {
		/* What it gathered before the trace is a base, not a span. */
		queue->is_known = 1;
		queue->total_ns = task->throttled_ns;
	}
	if (task->throttled_ns > queue->total_ns) {
		add_span(queue, clock, is_open ? 0 : task->throttled_begun,
			 task->throttled_ns - queue->total_ns);
		queue->total_ns = task->throttled_ns;
		queue->open_since = 0;
	}
	if (!is_open)
		queue->open_since = 0;
	else if (task->throttled_since != 0)
		queue->open_since = task->throttled_since;
	else if (queue->open_since == 0)
		queue->open_since = clock;
}

const struct throttled_queue *throttles_find(const struct throttles *self, uint32_t cpu,
					     uint64_t cgroup_id)
{
	for (size_t i = 0; i < self->n; i++)
		if (self->queues[i].cgroup_id == cgroup_id && self->queues[i].cpu == cpu)
			return &self->queues[i];
	return NULL;
}

uint64_t throttled_until(const struct throttled_queue *queue, uint64_t at, uint64_t limit)
{
	for (size_t i = 0; queue && i < queue->n; i++) {
		const struct throttled_span *span = &queue->spans[i];

		if (span->end <= at || span->start > at + SAME_MOMENT_NS)
			continue;
		return span->end < limit ? span->end : limit;
	}
	/* Not over when the trace ended, or when the task was moved away. */
	if (queue && queue->open_since != 0 && queue->open_since <= at + SAME_MOMENT_NS)
		return limit;
	return at;
}

void throttles_free(struct throttles *self)
{
	for (size_t i = 0; i < self->n; i++)
		free(self->queues[i].spans);
	free(self->queues);
}
