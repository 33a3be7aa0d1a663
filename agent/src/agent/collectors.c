#include "agent/collectors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "config.h"

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

/* One word of "a,b,c". */
static bool is_listed(const char *names, const char *name)
{
	const size_t length = strlen(name);

	for (; names && *names; names += strcspn(names, ","), names += *names == ',') {
		if (strcspn(names, ",") == length && memcmp(names, name, length) == 0)
			return true;
	}
	return false;
}

static int check_disabled(const char *names)
{
	for (; names && *names; names += strcspn(names, ","), names += *names == ',') {
		const size_t length = strcspn(names, ",");
		bool is_known = false;

		for (size_t i = 0; collectors[i]; i++)
			is_known |= strlen(collectors[i]->name) == length &&
				    memcmp(collectors[i]->name, names, length) == 0;
		if (is_known)
			continue;
		log_error("disable: there is no collector '%.*s'; nwagent check names all",
			  (int)length, names);
		return -EINVAL;
	}
	return 0;
}

static int open_one(struct running_collector *running, const struct config *config,
		    struct cgroup_table *cgroups)
{
	int r;

	if (is_listed(config->disable, running->collector->name)) {
		collector_report_set(&running->report, COLLECTOR_UNSUPPORTED,
				     "switched off by the setting disable");
		log_info("collector %s is %s", running->collector->name, running->report.reason);
		return -ECANCELED;
	}
	r = running->collector->open(config, cgroups, &running->state, &running->report);
	if (r < 0)
		running->state = NULL;
	if (r < 0 && !running->report.reason[0])
		collector_report_set(&running->report, COLLECTOR_FAILED, "%s", strerror(-r));
	log_state(running);
	return r;
}

int collector_set_open(struct collector_set *self, const struct config *config,
		       struct cgroup_table *cgroups)
{
	size_t n_open = 0;
	int r = check_disabled(config->disable);

	if (r < 0)
		return r;
	for (size_t i = 0; collectors[i] && i < MAX_COLLECTORS; i++) {
		struct running_collector *running = &self->running[i];

		running->collector = collectors[i];
		if (open_one(running, config, cgroups) == 0)
			n_open++;
		running->before = running->report;
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

static size_t n_parts(const struct running_collector *running)
{
	const char *const *parts = running->collector->optional_parts;
	size_t n = 0;

	if (!running->state || !running->collector->set_level || !parts)
		return 0;
	while (parts[n])
		n++;
	return n;
}

unsigned int collector_set_levels(const struct collector_set *self)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n_running; i++)
		n += n_parts(&self->running[i]);
	return (unsigned int)n;
}

const char *collector_set_part(const struct collector_set *self, unsigned int level)
{
	size_t at = level - 1;

	for (size_t i = 0; level > 0 && i < self->n_running; i++) {
		const size_t n = n_parts(&self->running[i]);

		if (at < n)
			return self->running[i].collector->optional_parts[at];
		at -= n;
	}
	return "";
}

void collector_set_parts_off(const struct collector_set *self, unsigned int level, char *ret_text,
			     size_t capacity)
{
	size_t length = 0;

	ret_text[0] = '\0';
	for (unsigned int at = 1; at <= level && length < capacity; at++)
		length += (size_t)snprintf(ret_text + length, capacity - length, "%s%s",
					   at > 1 ? ", " : "", collector_set_part(self, at));
}

int collector_set_level(struct collector_set *self, unsigned int level, const char *why)
{
	int result = 0;

	for (size_t i = 0; i < self->n_running; i++) {
		struct running_collector *running = &self->running[i];
		const unsigned int n = (unsigned int)n_parts(running);
		const unsigned int own = level < n ? level : n;
		int r = 0;

		level -= own;
		if (own != running->level)
			r = running->collector->set_level(running->state, own);
		if (r < 0) {
			result = r;
			continue;
		}
		running->level = own;
		(void)snprintf(running->level_reason, sizeof(running->level_reason), "%s",
			       own ? why : "");
	}
	return result;
}

/* What the governor took away counts as degraded, whatever the collector thinks. */
static void report_status(struct running_collector *running, struct batch_collector *ret_status)
{
	const struct collector_report *report = &running->report;
	const bool is_cut = running->level > 0 &&
			    (report->state == COLLECTOR_OK || report->state == COLLECTOR_DEGRADED);

	*ret_status = (struct batch_collector){
		.name = running->collector->name,
		.state = (int)(is_cut ? COLLECTOR_DEGRADED : report->state),
		.reason = is_cut && report->state == COLLECTOR_OK ? running->level_reason
								  : report->reason,
		.lost = since(running->before.lost, report->lost),
		.map_bytes = report->map_bytes,
	};
}

static size_t report_maps(const struct running_collector *running, struct batch_map *ret_maps)
{
	const struct collector_report *now = &running->report, *before = &running->before;

	for (size_t m = 0; m < now->n_maps; m++) {
		const uint64_t failed = m < before->n_maps ? before->maps[m].failed_inserts : 0;

		ret_maps[m] = (struct batch_map){
			.name = now->maps[m].name,
			.used = now->maps[m].used,
			.capacity = now->maps[m].capacity,
			.failed_inserts = since(failed, now->maps[m].failed_inserts),
		};
	}
	return now->n_maps;
}

void collector_set_report(struct collector_set *self, struct batch *batch)
{
	size_t n_programs = 0, n_maps = 0;

	for (size_t i = 0; i < self->n_running; i++) {
		const struct collector_report *report = &self->running[i].report;
		const struct collector_report *before = &self->running[i].before;

		report_status(&self->running[i], &self->statuses[i]);
		self->statuses[i].maps = &self->maps[n_maps];
		self->statuses[i].n_maps = report_maps(&self->running[i], &self->maps[n_maps]);
		n_maps += self->statuses[i].n_maps;
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
	self->n_programs = n_programs;
	batch->collectors = self->statuses;
	batch->n_collectors = self->n_running;
	batch->cost.programs = self->programs;
	batch->cost.n_programs = n_programs;
}
