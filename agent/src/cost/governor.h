#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Holds the agent's cost under a budget: one level down when it is over, one up when there
 * is room again. Pure: figures of a window in, a move out.
 *
 * It cannot flap. A way up needs calm windows in a row, with the predicted cost of what it
 * would bring back; and each way up that had to be taken back doubles the calm that the next
 * one needs.
 */
#define GOVERNOR_MAX_LEVELS   16
#define GOVERNOR_OVER_WINDOWS 2
#define GOVERNOR_CALM_WINDOWS 6
#define GOVERNOR_MAX_CALM     360 /* an hour of windows of 10 s */
#define GOVERNOR_CALM_PERCENT 70  /* of the budget */

enum governor_move {
	GOVERNOR_STAY,
	GOVERNOR_DOWN, /* one part less */
	GOVERNOR_UP,   /* one part more */
};

struct governor {
	uint64_t budget_ppm; /* of the host's CPU time; 0: no limit */
	unsigned int n_levels;
	unsigned int level; /* parts that are off */

	unsigned int over_windows, calm_windows; /* in a row */
	unsigned int calm_needed, windows_at_level;
	bool is_relapse_possible; /* the last move was up */

	/* The last windows at this level, for loads that come in spikes. */
	uint64_t recent_ppm[GOVERNOR_CALM_WINDOWS];
	unsigned int n_recent;

	/* What the programs of a part cost, seen when it went off: ppm per switch a second. */
	double part_cost[GOVERNOR_MAX_LEVELS];
	double before_cost; /* of all programs, in the window that made us go down */
	bool is_part_cost_due;
};

struct governor_window {
	uint64_t spent_ppm;    /* BPF programs and agent process, of the host's CPU time */
	uint64_t programs_ppm; /* of that the BPF programs: grows with the switches */
	double switches_per_s;
};

void governor_init(struct governor *self, uint64_t budget_ppm, unsigned int n_levels);

/* Call it once per window; the move is already in `level`. */
enum governor_move governor_step(struct governor *self, const struct governor_window *window);

/* Once, when everything is off and it is over the budget all the same. */
bool governor_is_beaten(const struct governor *self);

/* What the next part to come back would cost now; 0 if it was never seen going off. */
double governor_predicted_ppm(const struct governor *self, double switches_per_s);
