#pragma once

/*
 * The events, in their order, to who ran when and who waited when. A wait is what the kernel's
 * stamps say it is; each is held against the event that began it. This kernel may keep some
 * switches from us: they show as a task that runs though another came in, and the stamps of its
 * own switch-out then tell when it came and how long it had waited.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parties.h"
#include "tasks.h"
#include "throttle.h"
#include "timeline.h"
#include "trace.h"

#define MAX_CPUS 256

enum throttle_rule {
	THROTTLED_NEVER,
	THROTTLED_AT_START, /* from its start until the queue's span ends (throttled by task) */
	THROTTLED_WHOLLY,
	THROTTLED_WITH_QUEUE, /* whenever its queue was (throttled by group, before 6.18) */
};

/* One stay on one CPU's queue. */
struct wait {
	uint64_t start, end;  /* rq clock */
	uint64_t ended_at_ns; /* CLOCK_MONOTONIC */
	uint64_t cgroup_id;
	uint64_t woken_at; /* rq clock of the wakeup that began it; 0 = it was preempted */
	uint32_t cpu, pid;
	unsigned int party;
	unsigned int prev_party; /* whom it came in for */
	enum throttle_rule rule;
	bool is_migrated; /* ended by going to another CPU, not by running */
	bool is_hidden;	  /* told by the switch-out after it */
};

/* run_delay that grew where no event tells on which CPU and when. */
struct unlocated {
	uint64_t ns;
	uint64_t seen_at_ns;
	uint32_t pid;
	unsigned int party;
};

struct replay {
	struct parties parties;
	struct timeline cpus[MAX_CPUS];
	struct tasks tasks;
	struct throttles throttles;
	struct wait *waits;
	size_t n_waits, cap_waits;
	struct unlocated *unlocated;
	size_t n_unlocated, cap_unlocated;

	uint64_t switches, wakeups, migrations;
	uint64_t hidden_switches;
	uint64_t guessed_ns; /* run time between two events that do not fit */
	uint64_t stamped_ns,
		misstamped_ns; /* waits with a begin in the trace; how far off it was */
	uint64_t agent_pid;
	uint64_t *agent_ran_at_ns; /* its switches-in, CLOCK_MONOTONIC */
	size_t n_agent_ran, cap_agent_ran;
};

/* -EINVAL for an event that no tracer writes. */
int replay_event(struct replay *self, const struct truth_event *event);
void replay_free(struct replay *self);
