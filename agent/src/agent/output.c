#include <errno.h>
#include <string.h>

#include "agent/private.h"
#include "base/cleanup.h"
#include "wire/json_lines.h"

static bool find_identity(const void *context, uint64_t container_id, struct batch_identity *ret)
{
	return announcer_lookup(context, container_id, ret);
}

static int print_batch(struct agent *self, const struct batch *batch)
{
	const struct json_names names = {find_identity, self->cgroups};
	int r;

	r = json_line_write(stdout, batch, &names);
	if (r < 0) {
		if (r != -EPIPE)
			log_error("cannot write to standard output: %s", strerror(-r));
		self->is_output_closed = true;
		loop_stop(self->loop);
		return r;
	}
	return 0;
}

static void log_drops(struct agent *self)
{
	const struct outbox_stats stats = outbox_stats(self->outbox);

	if (stats.dropped > self->dropped_before)
		log_warning("spool: %llu windows were dropped in all (%llu now); it holds %llu "
			    "bytes of at most %llu (--spool-max-bytes)",
			    (unsigned long long)stats.dropped,
			    (unsigned long long)(stats.dropped - self->dropped_before),
			    (unsigned long long)stats.bytes,
			    (unsigned long long)self->config->spool_max_bytes);
	self->dropped_before = stats.dropped;
}

static int spool_batch(struct agent *self, struct batch *batch)
{
	const struct outbox_stats stats = outbox_stats(self->outbox);
	const int64_t started_at = batch->window ? batch->window->started_at_unix_ns : 0;
	cleanup(freep) uint8_t *bytes = NULL;
	size_t length;
	int r;

	batch->sequence = outbox_next_sequence(self->outbox);
	batch->cost.spool_batches = stats.batches;
	batch->cost.spool_bytes = stats.bytes;
	batch->cost.spool_dropped = stats.dropped;
	batch->cost.rejected_batches = stats.rejected;
	r = batch_encode(batch, &bytes, &length);
	if (r < 0) {
		outbox_count_dropped(self->outbox);
		log_error("cannot encode a batch: %s; it is lost", strerror(-r));
		return r;
	}
	r = outbox_append(self->outbox, started_at, bytes, length);
	if (r < 0)
		log_error("cannot write to the spool in %s: %s", self->config->state_dir,
			  strerror(-r));
	log_drops(self);
	if (r == 0)
		sender_wake(self->sender);
	return r;
}

int agent_emit(struct agent *self, struct batch *batch)
{
	int r;

	batch->event_loss = event_queue_loss(&self->events, &self->collectors);
	r = self->outbox ? spool_batch(self, batch) : print_batch(self, batch);
	if (r < 0)
		return r;
	event_queue_loss_told(&self->events, &batch->event_loss);
	return 0;
}

/* Whatever becomes of a batch, its events are over: a full disk is no reason to tell twice. */
void agent_emit_events(struct agent *self)
{
	while (self->events.n > 0 && !self->is_output_closed) {
		struct batch batch = {.sent_at_unix_ns = agent_wall_clock_ns()};

		memcpy(batch.boot_id, self->host.boot_id, sizeof(batch.boot_id));
		batch.events = event_queue_peek(&self->events, &batch.n_events);
		announcer_fill_events(&self->maker.announcer, batch.events, batch.n_events, &batch);
		if (agent_emit(self, &batch) == 0)
			announcer_sent(&self->maker.announcer, &batch);
		event_queue_remove(&self->events, batch.n_events, clock_ns(CLOCK_MONOTONIC));
	}
}

void agent_on_wait_event(void *context, const struct wait_event *event)
{
	struct agent *self = context;

	if (self->top)
		agent_top_on_wait_event(self->top, event);
	else
		event_queue_add(&self->events, event,
				agent_wall_clock_ns() - (int64_t)clock_ns(CLOCK_MONOTONIC));
}

void agent_on_events_due(void *context, uint32_t events)
{
	struct agent *self = context;
	const uint64_t due_ns = event_queue_due_ns(&self->events);

	(void)events;
	if (due_ns == 0)
		return;
	/* Without a timer they go at once: more batches, but none is late. */
	if (clock_ns(CLOCK_MONOTONIC) >= due_ns || loop_timer_set(self->events_timer, due_ns) < 0)
		agent_emit_events(self);
}
