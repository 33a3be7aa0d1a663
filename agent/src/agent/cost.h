#pragma once

#include "agent/collectors.h"
#include "base/loop.h"
#include "cost/governor.h"
#include "cost/self_cost.h"
#include "window/window.h"

#define MAX_COSTED_PROGRAMS ((size_t)MAX_COLLECTORS * COLLECTOR_MAX_PROGRAMS)

/* What the agent costs this host, and what is left out to hold it under the budget. */
struct agent_cost {
	const struct config *config; /* the caller's */
	struct governor governor;
	struct loop_timer *slice_timer; /* NULL: no slices */
	int statistics_fd;		/* held during a slice; -1: none */
	unsigned int n_slices;
	/* Of a ping-pong before and after anything was attached; 0: not timed. */
	double bare_switch_ns, timed_switch_ns;
	double scale; /* of typical figures; 0: cost is not looked at */
	struct costed_program {
		char name[32];
		bool is_measured;		      /* at start, itself */
		struct run_model model;		      /* then */
		uint64_t stat_run_count, stat_run_ns; /* at the last window */
	} programs[MAX_COSTED_PROGRAMS];
	size_t n_programs;
	char reason[256];      /* what is off and why */
	char told_reason[256]; /* in the batch at hand */
};

/* Before collectors are opened: takes the time of a switch that nothing is attached to. */
void agent_cost_prepare(struct agent_cost *self, const struct config *config);

/*
 * After collectors were opened, and while CAP_SYS_ADMIN is still there: finds
 * what a run costs on this machine. Logs the method. Takes 50 ms.
 */
int agent_cost_open(struct agent_cost *self, struct loop *loop, struct collector_set *set,
		    struct snapshot *scratch);
void agent_cost_close(struct agent_cost *self);

/*
 * Completes the cost of a whole window's batch, then lets the governor move. `ret_cost` comes
 * with the process's own times and programs from collector_set_report.
 */
void agent_cost_fill(struct agent_cost *self, struct collector_set *set,
		     const struct window *window, struct batch_cost *cost);
