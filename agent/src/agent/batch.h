#pragma once

#include "agent/collectors.h"
#include "agent/names.h"
#include "config.h"
#include "host/facts.h"
#include "host/own_cost.h"
#include "wire/batch.h"

/* Puts everything that belongs to a window around it. */
struct batch_maker {
	struct collector_set *collectors; /* not ours */
	struct announcer announcer;
	struct pair_merge merge;
	struct own_cost cost_before;
	uint64_t started_ns;   /* of the agent, CLOCK_MONOTONIC */
	uint64_t announced_ns; /* all identities, the last time */
	uint8_t boot_id[16];
	struct batch_facts facts;
	bool are_facts_sent;
};

int batch_maker_init(struct batch_maker *self, const struct config *config,
		     const struct host_facts *host, struct cgroup_table *cgroups,
		     struct collector_set *set, size_t cap_rows, size_t cap_pairs);
/* The first window starts: what the start itself took belongs to none. */
int batch_maker_begin(struct batch_maker *self);
void batch_maker_free(struct batch_maker *self);

/* Everything but sequence and spool figures. Call it once per window. */
int batch_maker_fill(struct batch_maker *self, const struct window *window, uint64_t now_ns,
		     bool is_last, struct batch *ret_batch);

/* The batch is safe: what it told need not be told again. */
void batch_maker_sent(struct batch_maker *self, const struct batch *batch);
