#pragma once

#include "agent/collectors.h"
#include "agent/names.h"
#include "cgroup/table.h"

/*
 * Long waits on their way from the kernel to a batch of their own, which does not wait for
 * its window's end: a bounded queue, the oldest dropped and counted.
 */
#define EVENTS_MAX	1024
#define EVENTS_EVERY_NS UINT64_C(1000000000) /* one batch in that time, the first at once */

struct event_queue {
	const struct cgroup_table *cgroups;
	struct batch_event *ring;
	size_t first, n;
	uint64_t last_number;
	uint64_t sent_at_ns; /* CLOCK_MONOTONIC; 0: never */
	uint64_t dropped;    /* cumulative */
	struct batch_event_loss told;
};

int event_queue_init(struct event_queue *self, const struct cgroup_table *cgroups);
void event_queue_free(struct event_queue *self);

/*
 * Names are looked up now: the cgroup may be gone when the event is sent. `clock_offset_ns` is
 * what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC.
 */
void event_queue_add(struct event_queue *self, const struct wait_event *event,
		     int64_t clock_offset_ns);

/* When the next batch may go, CLOCK_MONOTONIC; 0: nothing waits. */
uint64_t event_queue_due_ns(const struct event_queue *self);

/* The oldest, at most BATCH_MAX_EVENTS, borrowed until they are removed or one is added. */
const struct batch_event *event_queue_peek(const struct event_queue *self, size_t *ret_n);
void event_queue_remove(struct event_queue *self, size_t n, uint64_t now_ns);

/* What was lost and not told yet: by the queue, and by collectors until their last read. */
struct batch_event_loss event_queue_loss(const struct event_queue *self,
					 const struct collector_set *set);
void event_queue_loss_told(struct event_queue *self, const struct batch_event_loss *loss);
