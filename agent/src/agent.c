#include "agent.h"

#include <errno.h>
#include <string.h>

#include "agent_private.h"
#include "base/cleanup.h"
#include "wire/json_lines.h"

/* A host that slept, or a clock that jumped: not a window any more, and the backend refuses it. */
#define LONGEST_WINDOW_NS (60 * NS_PER_SECOND)

/* Windows may not start twice at the same instant, unless the clock was far off before. */
#define CLOCK_SET_BACK_NS \
	((int64_t)(300 * NS_PER_SECOND)) /* the backend takes no more from the future */

#define LAST_ATTEMPT_NS (2 * NS_PER_SECOND)

static int64_t boundary_before(int64_t unix_ns, uint64_t window_ns)
{
	return unix_ns - unix_ns % (int64_t)window_ns;
}

static int64_t wall_clock_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

static void take_snapshot(struct agent *self)
{
	int r;

	agent_drain(self);
	r = cgroup_table_refresh(self->cgroups);
	if (r < 0 && !self->is_refresh_failing)
		log_warning("cannot walk %s: %s; new cgroups stay without a name",
			    cgroup_table_mode(self->cgroups)->cpu_root, strerror(-r));
	self->is_refresh_failing = r < 0;

	self->newest ^= 1;
	snapshot_reset(&self->snapshots[self->newest], clock_ns(CLOCK_MONOTONIC));
	collector_set_read(&self->collectors, &self->snapshots[self->newest]);
	snapshot_seal(&self->snapshots[self->newest]);
}

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
		log_error("cannot encode a window: %s; it is lost", strerror(-r));
		return r;
	}
	r = outbox_append(self->outbox, batch->window->started_at_unix_ns, bytes, length);
	if (r < 0)
		log_error("cannot write to the spool in %s: %s", self->config->state_dir,
			  strerror(-r));
	log_drops(self);
	if (r == 0)
		sender_wake(self->sender);
	return r;
}

/* After a restart within the same ten seconds, or when the clock was set back. */
static bool is_start_used_up(const struct agent *self)
{
	const int64_t last = self->outbox ? outbox_last_started_at(self->outbox) : 0;
	const int64_t behind_ns = last - self->window_started_at_unix_ns;

	return behind_ns >= 0 && behind_ns < CLOCK_SET_BACK_NS;
}

static void emit_window(struct agent *self, bool is_last)
{
	const struct window_names names = cgroup_window_names(self->cgroups);
	const struct snapshot *new = &self->snapshots[self->newest];
	struct batch batch;
	int r;

	window_diff(&self->snapshots[self->newest ^ 1], new, &names, &self->window);
	self->window.started_at_unix_ns = self->window_started_at_unix_ns;
	if (is_start_used_up(self)) {
		log_info("a window from this start was sent before: its rest is left out");
		return;
	}
	if (self->window.duration_ns > LONGEST_WINDOW_NS) {
		log_warning("nothing was read for %llu s: this window is left out",
			    (unsigned long long)(self->window.duration_ns / NS_PER_SECOND));
		return;
	}
	r = batch_maker_fill(&self->maker, &self->window, new->taken_at_ns, is_last, &batch);
	if (r < 0) {
		log_error("cannot read the agent's own cost: %s", strerror(-r));
		return;
	}
	r = self->outbox ? spool_batch(self, &batch) : print_batch(self, &batch);
	if (r == 0)
		batch_maker_sent(&self->maker, &batch);
}

static void arm_timer(struct agent *self)
{
	const uint64_t window_ns = self->config->window_ns;
	const int64_t next = boundary_before(wall_clock_ns(), window_ns) + (int64_t)window_ns;
	int r = loop_timer_set(self->timer, (uint64_t)next);

	if (r < 0) {
		log_error("cannot set the window timer: %s", strerror(-r));
		loop_stop(self->loop);
	}
}

void agent_on_boundary(void *context, uint32_t events)
{
	struct agent *self = context;
	const int64_t started_at = boundary_before(wall_clock_ns(), self->config->window_ns);

	(void)events;
	/* The clock was set, but not out of this window. */
	if (started_at != self->window_started_at_unix_ns) {
		take_snapshot(self);
		emit_window(self, false);
		self->window_started_at_unix_ns = started_at;
	}
	if (!self->is_output_closed)
		arm_timer(self);
}

void agent_on_signal(void *context, uint32_t number)
{
	struct agent *self = context;

	log_info("stopping on %s", strsignal((int)number));
	loop_stop(self->loop);
}

static void on_sender_done(void *context, uint32_t events)
{
	struct agent *self = context;

	(void)events;
	self->is_sending_over = true;
	loop_stop(self->loop);
}

/* Not part of the loop any more: one quick attempt, and what is left waits on disk. */
static void finish(struct agent *self)
{
	loop_timer_clear(self->timer);
	if (self->is_output_closed)
		return;
	take_snapshot(self);
	emit_window(self, true);
	agent_close_collectors(self);
	if (!self->sender)
		return;
	sender_hurry(self->sender, on_sender_done, self);
	if (!self->is_sending_over)
		loop_run(self->loop, clock_ns(CLOCK_MONOTONIC) + LAST_ATTEMPT_NS);
	log_info("stopped; %llu windows wait in the spool",
		 (unsigned long long)outbox_stats(self->outbox).batches);
}

int agent_run(struct agent *self)
{
	int r;

	take_snapshot(self);
	self->window_started_at_unix_ns = boundary_before(wall_clock_ns(), self->config->window_ns);
	arm_timer(self);
	if (self->sender)
		sender_wake(self->sender);
	r = loop_run(self->loop, 0);
	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	finish(self);
	return r;
}
