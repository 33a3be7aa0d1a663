#include "cost/governor.h"

void governor_init(struct governor *self, uint64_t budget_ppm, unsigned int n_levels)
{
	*self = (struct governor){
		.budget_ppm = budget_ppm,
		.n_levels = n_levels < GOVERNOR_MAX_LEVELS ? n_levels : GOVERNOR_MAX_LEVELS,
		.calm_needed = GOVERNOR_CALM_WINDOWS,
	};
}

double governor_predicted_ppm(const struct governor *self, double switches_per_s)
{
	return self->level ? self->part_cost[self->level - 1] * switches_per_s : 0.0;
}

static double cost_per_switch(const struct governor_window *window)
{
	return window->switches_per_s > 0.0 ? (double)window->programs_ppm / window->switches_per_s
					    : 0.0;
}

/* The first window after a step down shows what the part had cost. */
static void learn_part_cost(struct governor *self, const struct governor_window *window)
{
	double saved;

	if (!self->is_part_cost_due)
		return;
	self->is_part_cost_due = false;
	saved = self->before_cost - cost_per_switch(window);
	self->part_cost[self->level - 1] = saved > 0.0 ? saved : 0.0;
}

static bool is_average_over(const struct governor *self)
{
	uint64_t sum_ppm = 0;

	if (self->n_recent < GOVERNOR_CALM_WINDOWS)
		return false;
	for (unsigned int i = 0; i < GOVERNOR_CALM_WINDOWS; i++)
		sum_ppm += self->recent_ppm[i];
	return sum_ppm > self->budget_ppm * GOVERNOR_CALM_WINDOWS;
}

/*
 * The load may have changed in the very window that showed what the part costs. So what
 * alone keeps it off is believed less and less: half in 30 windows.
 */
#define FADE 0.977

static void count(struct governor *self, const struct governor_window *window)
{
	const double wanted_ppm =
		(double)window->spent_ppm + governor_predicted_ppm(self, window->switches_per_s);
	const double calm_ppm = (double)self->budget_ppm * GOVERNOR_CALM_PERCENT / 100.0;

	self->over_windows = window->spent_ppm > self->budget_ppm ? self->over_windows + 1 : 0;
	self->calm_windows = wanted_ppm < calm_ppm ? self->calm_windows + 1 : 0;
	if (self->level > 0 && (double)window->spent_ppm < calm_ppm && wanted_ppm >= calm_ppm)
		self->part_cost[self->level - 1] *= FADE;
	self->recent_ppm[self->windows_at_level % GOVERNOR_CALM_WINDOWS] = window->spent_ppm;
	if (self->n_recent < GOVERNOR_CALM_WINDOWS)
		self->n_recent++;
	self->windows_at_level++;
	/* What was brought back has stayed for long: the next time is a new story. */
	if (self->is_relapse_possible && self->windows_at_level > 3 * self->calm_needed) {
		self->is_relapse_possible = false;
		self->calm_needed = GOVERNOR_CALM_WINDOWS;
	}
}

static void move(struct governor *self)
{
	self->over_windows = 0;
	self->calm_windows = 0;
	self->windows_at_level = 0;
	self->n_recent = 0;
}

bool governor_is_beaten(const struct governor *self)
{
	return self->budget_ppm > 0 && self->level == self->n_levels &&
	       self->over_windows == GOVERNOR_OVER_WINDOWS;
}

static enum governor_move down(struct governor *self, const struct governor_window *window)
{
	if (self->is_relapse_possible) {
		self->is_relapse_possible = false;
		self->calm_needed *= 2;
		if (self->calm_needed > GOVERNOR_MAX_CALM)
			self->calm_needed = GOVERNOR_MAX_CALM;
	}
	self->before_cost = cost_per_switch(window);
	self->is_part_cost_due = true;
	self->level++;
	move(self);
	return GOVERNOR_DOWN;
}

enum governor_move governor_step(struct governor *self, const struct governor_window *window)
{
	if (self->budget_ppm == 0)
		return GOVERNOR_STAY;
	learn_part_cost(self, window);
	count(self, window);

	if (self->level < self->n_levels &&
	    (window->spent_ppm > 2 * self->budget_ppm ||
	     self->over_windows >= GOVERNOR_OVER_WINDOWS || is_average_over(self)))
		return down(self, window);
	if (self->level > 0 && self->calm_windows >= self->calm_needed) {
		self->level--;
		self->is_relapse_possible = true;
		move(self);
		return GOVERNOR_UP;
	}
	return GOVERNOR_STAY;
}
