#pragma once

#include <stddef.h>
#include <stdint.h>

#include "window/snapshot.h"
#include "window/wait_event.h"

struct cgroup_table;
struct config;

enum collector_state {
	COLLECTOR_OK = 1,
	COLLECTOR_DEGRADED,    /* works with a fallback */
	COLLECTOR_UNSUPPORTED, /* this kernel or these rights do not allow it */
	COLLECTOR_FAILED,
};

struct collector_program {
	char name[32];
	int fd;		    /* for whoever asks the kernel for its cost; -1: not loaded */
	uint64_t run_count; /* cumulative, by our own count: it needs no BPF statistics */
	/*
	 * Cumulative: the steps whose number differs from run to run (a charge of a wait to
	 * one cgroup). 0 if all runs cost much the same.
	 */
	uint64_t charge_count;
	/*
	 * What a run without a charge and one charge cost on the machine that the benchmark
	 * ran on, by the kernel's statistics. Only their ratios count: calibration at start
	 * finds how much slower or faster this machine is. 0: not known.
	 */
	uint32_t typical_run_ns, typical_charge_ns;
};

struct collector_map {
	char name[32];
	uint64_t used, capacity;
	uint64_t failed_inserts; /* cumulative */
};

#define COLLECTOR_MAX_PROGRAMS 8
#define COLLECTOR_MAX_MAPS     8

struct collector_report {
	enum collector_state state;
	char reason[256];   /* one clear sentence: what is missing, what to do */
	uint64_t lost;	    /* cumulative */
	uint64_t map_bytes; /* kernel memory that its BPF maps hold */
	struct collector_program programs[COLLECTOR_MAX_PROGRAMS];
	size_t n_programs;
	struct collector_map maps[COLLECTOR_MAX_MAPS];
	size_t n_maps;
	uint64_t ring_lost;    /* cumulative: events that found no room in the ring buffer */
	uint64_t rate_limited; /* cumulative: events that the limit per cgroup swallowed */
};

/* Sets state and sentence, leaves the figures. */
void collector_report_set(struct collector_report *report, enum collector_state state,
			  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Where a collector puts what it hears between two reads. */
struct collector_sink {
	void (*on_wait_event)(void *context, const struct wait_event *event);
	void *context;
};

/*
 * A collector is a name and some functions. What feeds it, BPF or a file, is its
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

	/* The rest may be NULL. */

	/* A descriptor for the loop, readable when `drain` has something to do; -1 = none. */
	int (*descriptor)(const void *state);
	/* Bounded work, called from the loop and before every read. */
	int (*drain)(void *state, const struct collector_sink *sink);

	/*
	 * What can be done without, cheapest loss first: at level n the first n of them are off.
	 * Each is a phrase that goes after "off: "; NULL-terminated.
	 */
	const char *const *optional_parts;
	int (*set_level)(void *state, unsigned int level);
};

/* registry.c: all collectors, NULL-terminated. */
extern const struct collector *const collectors[];
