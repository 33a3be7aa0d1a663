#include "agent/events.h"

#include <errno.h>
#include <stdlib.h>

#include "cgroup/path_identity.h"

int event_queue_init(struct event_queue *self, const struct cgroup_table *cgroups)
{
	*self = (struct event_queue){.cgroups = cgroups};
	self->ring = calloc(EVENTS_MAX, sizeof(self->ring[0]));
	return self->ring ? 0 : -ENOMEM;
}

void event_queue_free(struct event_queue *self)
{
	free(self->ring);
	*self = (struct event_queue){0};
}

/* As in a window: who has no name is "system (other)". */
static uint64_t container_of(const struct event_queue *self, uint64_t cgroup_id)
{
	const struct cgroup *cgroup = cgroup_table_find(self->cgroups, cgroup_id);

	return cgroup ? cgroup->identity.container_id : container_id_of(false, FOLD_PATH);
}

void event_queue_add(struct event_queue *self, const struct wait_event *event,
		     int64_t clock_offset_ns)
{
	struct batch_event *at;

	if (self->n == EVENTS_MAX) {
		self->first = (self->first + 1) % EVENTS_MAX;
		self->n--;
		self->dropped++;
	}
	at = &self->ring[(self->first + self->n++) % EVENTS_MAX];
	*at = (struct batch_event){
		.number = ++self->last_number,
		.ended_at_unix_ns = (int64_t)event->ended_at_ns + clock_offset_ns,
		.container_id = container_of(self, event->cgroup_id),
		.event = *event,
	};
	for (size_t i = 0; i < event->n_shares; i++) {
		if (event->shares[i].who == WAIT_SHARE_CGROUP)
			at->share_ids[i] = container_of(self, event->shares[i].cgroup_id);
	}
}

uint64_t event_queue_due_ns(const struct event_queue *self)
{
	if (self->n == 0)
		return 0;
	return self->sent_at_ns ? self->sent_at_ns + EVENTS_EVERY_NS : 1;
}

const struct batch_event *event_queue_peek(const struct event_queue *self, size_t *ret_n)
{
	const size_t until_end = EVENTS_MAX - self->first;
	size_t n = self->n < until_end ? self->n : until_end;

	*ret_n = n < BATCH_MAX_EVENTS ? n : BATCH_MAX_EVENTS;
	return &self->ring[self->first];
}

void event_queue_remove(struct event_queue *self, size_t n, uint64_t now_ns)
{
	self->first = (self->first + n) % EVENTS_MAX;
	self->n -= n;
	self->sent_at_ns = now_ns;
}

static uint64_t since(uint64_t told, uint64_t now)
{
	return now > told ? now - told : 0;
}

struct batch_event_loss event_queue_loss(const struct event_queue *self,
					 const struct collector_set *set)
{
	struct batch_event_loss loss = {.queue_full = since(self->told.queue_full, self->dropped)};

	for (size_t i = 0; i < set->n_running; i++) {
		loss.ring_full += set->running[i].report.ring_lost;
		loss.rate_limited += set->running[i].report.rate_limited;
	}
	loss.ring_full = since(self->told.ring_full, loss.ring_full);
	loss.rate_limited = since(self->told.rate_limited, loss.rate_limited);
	return loss;
}

void event_queue_loss_told(struct event_queue *self, const struct batch_event_loss *loss)
{
	self->told.ring_full += loss->ring_full;
	self->told.queue_full += loss->queue_full;
	self->told.rate_limited += loss->rate_limited;
}
