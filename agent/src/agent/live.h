#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/own_cost.h"
#include "window/window.h"

/*
 * Windows of one second while somebody looks: asked for by the backend, bounded, beside the
 * windows that are kept and never instead of one.
 */
#define LIVE_MAX_SECONDS 120

struct agent;

struct live {
	struct window window;
	struct own_cost cost_before;
	uint64_t until_ns;	    /* CLOCK_MONOTONIC; 0: off */
	int64_t started_at_unix_ns; /* of the second that runs; 0: none yet */
	uint64_t skipped;	    /* since it was switched on */
};

int live_init(struct live *self, size_t cap_rows, size_t cap_pairs);
void live_free(struct live *self);
bool live_is_on(const struct live *self);

/* Returns whether that switched it on. A longer time than allowed is cut to it. */
bool live_ask(struct live *self, uint32_t seconds, uint64_t now_ns);

/* A second ends with the newest snapshot, `boundary_unix_ns` is where the next begins. */
void live_second(struct agent *self, int64_t boundary_unix_ns);
