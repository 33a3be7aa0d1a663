#pragma once

#include "top/model.h"
#include "top/paint.h"
#include "top/view.h"
#include "window/wait_event.h"

/* PURE: model, view and size -> one frame. */

#define TOP_EVENT_SHARES 3

/* A wait event with its names as they were when it was heard. */
struct top_event {
	char clock[9]; /* "10:41:12" */
	enum wait_event_kind kind;
	char victim[TOP_NAME_BYTES];
	uint64_t duration_ns;
	uint32_t cpu;
	enum quota_level quota_level;
	struct {
		char name[TOP_NAME_BYTES];
		uint64_t ns;
	} shares[TOP_EVENT_SHARES];
	size_t n_shares;
};

struct top_frame {
	const struct top_model *model;
	const struct top_view *view;
	const char *hostname;
	const char *instance_type; /* NULL: not known */
	const char *kernel_release;
	uint32_t cpus;
	const char *clock;
	double agent_cpu; /* its process and its programs in the kernel, of one CPU; < 0: unknown */
	uint64_t lost;	  /* since it was started: records, events, rows */
	unsigned int governor_level;
	const char *governor_reason;
	const char *trouble;		/* a collector that does not run well; "": none */
	const struct top_event *events; /* the newest last */
	size_t n_events;
	const struct top_row **scratch; /* room for model->n_rows */
};

void top_render(const struct top_frame *frame, struct paint *paint);
