#pragma once

/* Shared by the files that make a window, and by nobody else. */

#include "window/window.h"

struct window_mark {
	bool has_child;
	bool has_sched;	     /* its scheduler counters are in the row */
	uint32_t row_plus_1; /* 0 = the cgroup gave no row */
};

struct differ {
	const struct snapshot *old, *new;
	const struct window_names *names;
	struct window *window;
};

/* NULL: no room, which is counted. The fold row always fits. */
struct window_row *window_row_of(struct window *self, uint64_t container_id, bool is_container,
				 bool is_fold);

/* window_blame.c: the pairs of the window, and with them the split of its rows. */
void window_blame(const struct differ *differ);
