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
	unsigned int level;	/* the first so many of its optional parts are off */
	char level_reason[256]; /* "" at level 0 */
};

struct collector_set {
	struct running_collector running[MAX_COLLECTORS];
	size_t n_running;
	struct batch_collector statuses[MAX_COLLECTORS];
	struct batch_program programs[MAX_COLLECTORS * COLLECTOR_MAX_PROGRAMS];
	struct batch_map maps[MAX_COLLECTORS * COLLECTOR_MAX_MAPS];
	size_t n_programs;
};

/*
 * Opens all of the registry that is not disabled and logs those that cannot run. -ENODEV: none
 * can. -EINVAL: what is disabled does not exist.
 */
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

/*
 * One ladder of all optional parts, in the order of the registry: at level n the first n are
 * off, and the collectors' statuses say so with `why`. On error the rest is as asked.
 */
unsigned int collector_set_levels(const struct collector_set *self);
int collector_set_level(struct collector_set *self, unsigned int level, const char *why);
/* What is switched off at that level and not at the one before: 1 is the first. */
const char *collector_set_part(const struct collector_set *self, unsigned int level);
/* "blame, waits before a migration": all that is off at that level. */
void collector_set_parts_off(const struct collector_set *self, unsigned int level, char *ret_text,
			     size_t capacity);
