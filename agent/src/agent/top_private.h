#pragma once

/* Shared by the two files of `nwagent top`, and by nobody else. */

#include "agent/private.h"
#include "top/render.h"
#include "top/terminal.h"

#define TOP_SECONDS   10 /* of the longer window */
#define TOP_SNAPSHOTS (TOP_SECONDS + 1)
#define TOP_EVENTS    8

struct top_second {
	struct snapshot snapshot;
	uint64_t cost_ns; /* of the agent in the second that this ends */
};

struct agent_top {
	struct agent *agent;
	struct loop_timer *timer;
	uint64_t due_ns; /* CLOCK_MONOTONIC */
	struct top_second seconds[TOP_SNAPSHOTS];
	size_t n_seconds, newest; /* how many hold something, the last one */
	uint64_t n_reads;
	struct top_name *names;
	size_t n_names;
	struct top_model model;
	const struct top_row **scratch;
	struct top_view view;
	struct top_event events[TOP_EVENTS];
	size_t n_events;
	char clock[9];
	double agent_cpu;
	uint64_t lost;
	unsigned int governor_level;
	char governor_reason[256];
	char trouble[320];
	struct paint paint;
	struct terminal terminal;
	uint64_t frames_left; /* 0: no end */
	int result;
};

int agent_top_init(struct agent_top *self);
void agent_top_free(struct agent_top *self);

/* Reads everything; a second ends. */
void agent_top_measure(struct agent_top *self);
/* The chosen window, as of the last second, becomes the model. */
void agent_top_show_newest(struct agent_top *self);
/* Model and view become text. */
void agent_top_compose(struct agent_top *self);

void agent_top_draw(struct agent_top *self);
