#pragma once

/* Shared by the files of the agent, and by nobody else. */

#include <stdbool.h>
#include <stdint.h>

#include "agent/agent.h"
#include "agent/batch.h"
#include "agent/cost.h"
#include "agent/events.h"
#include "agent/live.h"
#include "agent/top.h"
#include "base/loop.h"
#include "cgroup/identity.h"
#include "wire/send.h"

#define NS_PER_SECOND 1000000000ULL

struct agent {
	const struct config *config; /* the caller's */
	struct loop *loop;
	struct loop_timer *timer;
	struct host_facts host;
	struct identity_sources sources;
	struct cgroup_table *cgroups;
	struct collector_set collectors;
	struct agent_cost cost;
	struct collector_sink sink;
	/* The third is touched in live mode only: `base` and `previous` are the same otherwise. */
	struct snapshot snapshots[3];
	unsigned int base, previous, newest; /* start of the window, last read, the one at hand */
	struct window window;
	int64_t window_started_at_unix_ns;
	struct batch_maker maker;
	int state_dir, lock;
	struct event_queue events;
	struct loop_timer *events_timer;
	struct live live;
	struct outbox *outbox; /* NULL: to standard output */
	struct sender *sender;
	struct agent_top *top; /* NULL: windows are sent or printed */
	uint64_t dropped_before;
	bool is_refresh_failing, is_output_closed, is_sending_over;
};

/* agent.c: what the loop calls. `number` is the signal's. */
void agent_on_boundary(void *context, uint32_t events);
void agent_on_signal(void *context, uint32_t number);
void agent_on_events_due(void *context, uint32_t events);
void agent_on_live_asked(void *context, uint32_t seconds);

/* The wall clock's boundary is the next second in live mode, else the end of the window. */
void agent_arm_timer(struct agent *self);
int64_t agent_wall_clock_ns(void);

/* agent_output.c: to the spool, in sequence, or to standard output. */
int agent_emit(struct agent *self, struct batch *batch);
void agent_emit_events(struct agent *self); /* all that wait */
void agent_on_wait_event(void *context, const struct wait_event *event);

/* agent_drain.c: what collectors hear between two reads. */
int agent_watch_collectors(struct agent *self);
void agent_drain(struct agent *self);
void agent_close_collectors(struct agent *self);
