#pragma once

/* Shared by the files of the agent, and by nobody else. */

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "agent_batch.h"
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
	struct collector_sink sink; /* no function: nobody listens */
	struct snapshot snapshots[2];
	unsigned int newest; /* of the two */
	struct window window;
	int64_t window_started_at_unix_ns;
	struct batch_maker maker;
	int state_dir, lock;
	struct outbox *outbox; /* NULL: to standard output */
	struct sender *sender;
	uint64_t dropped_before;
	bool is_refresh_failing, is_output_closed, is_sending_over;
};

/* agent.c: what the loop calls. `number` is the signal's. */
void agent_on_boundary(void *context, uint32_t events);
void agent_on_signal(void *context, uint32_t number);

/* agent_drain.c: what collectors hear between two reads. */
int agent_watch_collectors(struct agent *self);
void agent_drain(struct agent *self);
void agent_close_collectors(struct agent *self);
