#pragma once

#include <stddef.h>

#include "collectors/collector.h"
#include "wire/batch.h"

#define MAX_COLLECTORS 8

/* The collectors of this run, each with what it said last; one may fail alone. */
struct running_collector {
	const struct collector *collector;
	void *state;				/* NULL: not open */
	struct collector_report report, before; /* now, and at the last mark */
};

struct collector_set {
	struct running_collector running[MAX_COLLECTORS];
	size_t n_running;
	struct batch_collector statuses[MAX_COLLECTORS];
	struct batch_program programs[MAX_COLLECTORS * COLLECTOR_MAX_PROGRAMS];
};

/* Opens all of the registry and logs those that cannot run. -ENODEV: none can. */
int collector_set_open(struct collector_set *self, const struct config *config,
		       struct cgroup_table *cgroups);
void collector_set_read(struct collector_set *self, struct snapshot *snapshot);
/* Everything that was heard since the last call, to `sink`. */
void collector_set_drain(struct collector_set *self, const struct collector_sink *sink);
void collector_set_close(struct collector_set *self);

/* A window ends: what collector_set_report tells counts from here. */
void collector_set_mark(struct collector_set *self);

/* Fills status, losses and program costs since the last mark. */
void collector_set_report(struct collector_set *self, struct batch *batch);
