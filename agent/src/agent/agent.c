#include "agent/agent.h"

#include <errno.h>
#include <string.h>

#include "agent/private.h"
#include "base/resident.h"

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

int64_t agent_wall_clock_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

/* Neither the start of the window nor the last read. */
static unsigned int free_snapshot(const struct agent *self)
{
	unsigned int at = 0;

	while (at == self->base || at == self->previous)
		at++;
	return at;
}

/* Names are refreshed once a window only: the dead are remembered for one refresh more. */
static void refresh_names(struct agent *self)
{
	int r;

	agent_drain(self);
	r = cgroup_table_refresh(self->cgroups);
	if (r < 0 && !self->is_refresh_failing)
		log_warning("cannot walk %s: %s; new cgroups stay without a name",
			    cgroup_table_mode(self->cgroups)->cpu_root, strerror(-r));
	self->is_refresh_failing = r < 0;
}

static void take_snapshot(struct agent *self)
{
	agent_drain(self);
	self->newest = free_snapshot(self);
	snapshot_reset(&self->snapshots[self->newest], clock_ns(CLOCK_MONOTONIC));
	collector_set_read(&self->collectors, &self->snapshots[self->newest]);
	snapshot_seal(&self->snapshots[self->newest]);
}

/*
 * Live seconds read in the middle of a window: what was told only then, the longest wait and
 * the last figures of the dead, must not be missing at its end.
 */
static void keep_earlier_reads(struct agent *self)
{
	if (self->previous != self->base)
		snapshot_carry(&self->snapshots[self->newest], &self->snapshots[self->previous],
			       &self->snapshots[self->base]);
	self->previous = self->newest;
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

	window_diff(&self->snapshots[self->base], new, &names, &self->window);
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
	agent_cost_fill(&self->cost, &self->collectors, &self->window, &batch.cost);
	if (agent_emit(self, &batch) == 0)
		batch_maker_sent(&self->maker, &batch);
}

/* Until the next window only its start is needed: the rest would be resident for nothing. */
static void forget_the_past(struct agent *self)
{
	window_forget(&self->window);
	for (unsigned int i = 0; i < sizeof(self->snapshots) / sizeof(self->snapshots[0]); i++)
		if (i != self->base && i != self->previous)
			snapshot_forget(&self->snapshots[i]);
}

/* The newest snapshot ends a window: a new one starts with it. */
static void end_window(struct agent *self, bool is_last)
{
	emit_window(self, is_last);
	collector_set_mark(&self->collectors);
	self->base = self->newest;
	self->previous = self->newest;
	forget_the_past(self);
}

void agent_arm_timer(struct agent *self)
{
	const uint64_t step_ns = live_is_on(&self->live) ? NS_PER_SECOND : self->config->window_ns;
	const int64_t next = boundary_before(agent_wall_clock_ns(), step_ns) + (int64_t)step_ns;
	int r = loop_timer_set(self->timer, (uint64_t)next);

	if (r < 0) {
		log_error("cannot set the window timer: %s", strerror(-r));
		loop_stop(self->loop);
	}
}

void agent_on_boundary(void *context, uint32_t events)
{
	struct agent *self = context;
	const int64_t now = agent_wall_clock_ns();
	const int64_t started_at = boundary_before(now, self->config->window_ns);
	/* Not so if the clock was set, but not out of this window. */
	const bool is_over = started_at != self->window_started_at_unix_ns;
	const bool is_live = live_is_on(&self->live);

	(void)events;
	if (is_over)
		refresh_names(self);
	if (is_over || is_live) {
		take_snapshot(self);
		live_second(self, boundary_before(now, NS_PER_SECOND));
		keep_earlier_reads(self);
	}
	if (is_over) {
		end_window(self, false);
		self->window_started_at_unix_ns = started_at;
	}
	agent_on_events_due(self, 0);
	if (!self->is_output_closed)
		agent_arm_timer(self);
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

	refresh_names(self);
	take_snapshot(self);
	r = batch_maker_begin(&self->maker);
	if (r < 0)
		log_warning("cannot read the agent's own cost: %s", strerror(-r));
	collector_set_mark(&self->collectors);
	self->base = self->newest;
	self->previous = self->newest;
	self->window_started_at_unix_ns =
		boundary_before(agent_wall_clock_ns(), self->config->window_ns);
	agent_arm_timer(self);
	resident_trim();
	if (self->sender)
		sender_wake(self->sender);
	r = loop_run(self->loop, 0);
	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	finish(self);
	return r;
}
