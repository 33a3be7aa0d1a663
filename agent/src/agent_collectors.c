#include "agent_collectors.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

static void log_state(const struct running_collector *running)
{
	const char *name = running->collector->name, *reason = running->report.reason;

	switch (running->report.state) {
	case COLLECTOR_OK:
		log_info("collector %s runs", name);
		return;
	case COLLECTOR_DEGRADED:
		log_warning("collector %s is degraded: %s", name, reason);
		return;
	case COLLECTOR_UNSUPPORTED:
		log_warning("collector %s cannot run here: %s", name, reason);
		return;
	case COLLECTOR_FAILED:
		log_error("collector %s failed: %s", name, reason);
		return;
	}
}

int collector_set_open(struct collector_set *self, const struct config *config,
		       struct cgroup_table *cgroups)
{
	size_t n_open = 0;

	for (size_t i = 0; collectors[i] && i < MAX_COLLECTORS; i++) {
		struct running_collector *running = &self->running[i];
		int r;

		running->collector = collectors[i];
		r = running->collector->open(config, cgroups, &running->state, &running->report);
		if (r < 0)
			running->state = NULL;
		else
			n_open++;
		if (r < 0 && !running->report.reason[0])
			collector_report_set(&running->report, COLLECTOR_FAILED, "%s",
					     strerror(-r));
		running->before = running->report;
		log_state(running);
		self->n_running++;
	}
	return n_open ? 0 : -ENODEV;
}

static void read_one(struct running_collector *running, struct snapshot *snapshot)
{
	const struct collector_report last = running->report;
	const enum collector_state before = last.state;
	int r;

	if (!running->state)
		return;
	r = running->collector->read(running->state, snapshot, &running->report);
	if (r < 0) {
		running->report = last;
		collector_report_set(&running->report, COLLECTOR_FAILED, "reading failed: %s",
				     strerror(-r));
	}
	/* Once per change, not once per window. */
	if (running->report.state != before)
		log_state(running);
}

void collector_set_read(struct collector_set *self, struct snapshot *snapshot)
{
	for (size_t i = 0; i < self->n_running; i++)
		read_one(&self->running[i], snapshot);
}

static void drain_one(struct running_collector *running, const struct collector_sink *sink)
{
	const enum collector_state before = running->report.state;
	int r;

	if (!running->state || !running->collector->drain)
		return;
	r = running->collector->drain(running->state, sink);
	if (r == 0)
		return;
	collector_report_set(&running->report, COLLECTOR_FAILED, "listening failed: %s",
			     strerror(-r));
	if (before != COLLECTOR_FAILED)
		log_state(running);
}

void collector_set_drain(struct collector_set *self, const struct collector_sink *sink)
{
	for (size_t i = 0; i < self->n_running; i++)
		drain_one(&self->running[i], sink);
}

void collector_set_close(struct collector_set *self)
{
	for (size_t i = 0; i < self->n_running; i++) {
		if (self->running[i].state)
			self->running[i].collector->close(self->running[i].state);
		self->running[i].state = NULL;
	}
	self->n_running = 0;
}

void collector_set_mark(struct collector_set *self)
{
	for (size_t i = 0; i < self->n_running; i++)
		self->running[i].before = self->running[i].report;
}

/* Counters of a collector that was opened again start anew: then all of it is new. */
static uint64_t since(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

void collector_set_report(struct collector_set *self, struct batch *batch)
{
	size_t n_programs = 0;

	for (size_t i = 0; i < self->n_running; i++) {
		const struct collector_report *report = &self->running[i].report;
		const struct collector_report *before = &self->running[i].before;

		self->statuses[i] = (struct batch_collector){
			.name = self->running[i].collector->name,
			.state = (int)report->state,
			.reason = report->reason,
			.lost = since(before->lost, report->lost),
		};
		for (size_t p = 0; p < report->n_programs; p++) {
			const struct collector_program *now = &report->programs[p];
			const struct collector_program *old = &before->programs[p];
			const bool is_known = p < before->n_programs;

			self->programs[n_programs++] = (struct batch_program){
				.name = now->name,
				.run_count = since(is_known ? old->run_count : 0, now->run_count),
			};
		}
	}
	batch->collectors = self->statuses;
	batch->n_collectors = self->n_running;
	batch->cost.programs = self->programs;
	batch->cost.n_programs = n_programs;
}
