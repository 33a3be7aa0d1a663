#pragma once

#include <stddef.h>
#include <stdint.h>

#include "window/snapshot.h"

struct cgroup_table;
struct config;

enum collector_state {
	COLLECTOR_OK = 1,
	COLLECTOR_DEGRADED,    /* works with a fallback */
	COLLECTOR_UNSUPPORTED, /* this kernel or these rights do not allow it */
	COLLECTOR_FAILED,
};

struct collector_program_cost {
	char name[32];
	uint64_t run_count; /* cumulative; 0 where BPF statistics are off */
	uint64_t run_ns;
};

#define COLLECTOR_MAX_PROGRAMS 8

struct collector_report {
	enum collector_state state;
	char reason[256];   /* one clear sentence: what is missing, what to do */
	uint64_t lost;	    /* cumulative */
	uint64_t map_bytes; /* kernel memory that its BPF maps hold */
	struct collector_program_cost programs[COLLECTOR_MAX_PROGRAMS];
	size_t n_programs;
};

/* Sets state and sentence, leaves the figures. */
void collector_report_set(struct collector_report *report, enum collector_state state,
			  const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * A collector is a name and four functions. What feeds it, BPF or a file, is its
 * own affair. `open` returns 0, or negative errno with `ret_report` filled in:
 * the agent goes on without it. `read` appends to the snapshot.
 */
struct collector {
	const char *name;
	int (*open)(const struct config *config, struct cgroup_table *cgroups, void **ret_state,
		    struct collector_report *ret_report);
	int (*read)(void *state, struct snapshot *snapshot, struct collector_report *ret_report);
	void (*close)(void *state);
	/* `nwagent check`: tries for real, leaves nothing behind; the caller prints the report. */
	int (*check)(struct collector_report *ret_report);
};

/* registry.c: all collectors, NULL-terminated. */
extern const struct collector *const collectors[];
