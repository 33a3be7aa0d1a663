#include "agent/cost.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/cost_calibrate.h"
#include "base/cleanup.h"
#include "collectors/self/statistics.h"
#include "config.h"

#define NS_PER_SECOND 1000000000ULL
#define SLICE_NS      150000000ULL /* at most a tenth of a window */

static void on_slice(void *context, uint32_t events)
{
	struct agent_cost *self = context;
	int r;

	(void)events;
	if (self->statistics_fd >= 0) {
		close_fdp(&self->statistics_fd);
		self->statistics_fd = -1;
		return;
	}
	r = bpf_statistics_hold(&self->statistics_fd);
	if (r == 0)
		r = loop_timer_set_after(self->slice_timer, SLICE_NS < self->config->window_ns / 10
								    ? SLICE_NS
								    : self->config->window_ns / 10);
	if (r < 0) {
		close_fdp(&self->statistics_fd);
		self->statistics_fd = -1;
		log_warning("cannot take BPF statistics: %s; the programs' cost is estimated",
			    strerror(-r));
	}
}

/* Each window at another place in it, so that nothing regular is always met, or never. */
static void arm_slice(struct agent_cost *self)
{
	const uint64_t percent = 10 + self->n_slices++ * 37 % 70;

	if (!self->slice_timer || self->statistics_fd >= 0)
		return;
	if (loop_timer_set_after(self->slice_timer, self->config->window_ns * percent / 100) < 0)
		log_warning("cannot set the timer for BPF statistics; this window's programs are "
			    "estimated");
}

int agent_cost_open(struct agent_cost *self, struct loop *loop, struct collector_set *set,
		    struct snapshot *scratch)
{
	int r = 0;

	self->statistics_fd = -1;
	governor_init(&self->governor, self->config->budget_ppm, collector_set_levels(set));
	if (self->config->self_cost == SELF_COST_OFF)
		return 0;
	agent_cost_calibrate(self, set, scratch);
	if (self->config->self_cost == SELF_COST_SLICES)
		r = loop_timer_new(loop, CLOCK_MONOTONIC, on_slice, self, &self->slice_timer);
	if (r == 0)
		arm_slice(self);
	return r;
}

void agent_cost_close(struct agent_cost *self)
{
	loop_timer_free(self->slice_timer);
	self->slice_timer = NULL;
	if (self->config) /* else never opened */
		close_fdp(&self->statistics_fd);
	self->statistics_fd = -1;
}

static struct run_cost cost_of(struct agent_cost *self, const struct collector_program *old,
			       const struct collector_program *now)
{
	struct costed_program *program = agent_cost_program(self, now);
	const uint64_t stat_run_count = program->stat_run_count;
	const uint64_t stat_run_ns = program->stat_run_ns;
	struct run_figures before = {.stat_run_count = stat_run_count, .stat_run_ns = stat_run_ns};
	struct run_figures after = {now->run_count, now->charge_count, stat_run_count, stat_run_ns};

	if (old) {
		before.run_count = old->run_count;
		before.charge_count = old->charge_count;
	}
	/* Unreadable is as good as switched off: the model it is. */
	if (now->fd >= 0 &&
	    bpf_statistics_read(now->fd, &after.stat_run_count, &after.stat_run_ns) == 0) {
		program->stat_run_count = after.stat_run_count;
		program->stat_run_ns = after.stat_run_ns;
	}
	return self_cost_of(&program->model, &before, &after);
}

static uint64_t fill_programs(struct agent_cost *self, struct collector_set *set,
			      struct batch_cost *cost)
{
	uint64_t run_ns = 0, measured_ns = 0;
	size_t at = 0;

	for (size_t i = 0; i < set->n_running; i++) {
		const struct collector_report *now = &set->running[i].report;
		const struct collector_report *old = &set->running[i].before;

		for (size_t p = 0; p < now->n_programs && at < cost->n_programs; p++, at++) {
			const struct run_cost program =
				cost_of(self, p < old->n_programs ? &old->programs[p] : NULL,
					&now->programs[p]);

			set->programs[at].run_ns = program.run_ns;
			run_ns += program.run_ns;
			if (program.method == COST_METHOD_MEASURED)
				measured_ns += program.run_ns;
		}
	}
	/* What runs once in a while is hardly ever met by a slice, and hardly costs anything. */
	if (at > 0)
		cost->method =
			measured_ns > run_ns / 2 ? COST_METHOD_MEASURED : COST_METHOD_ESTIMATED;
	return run_ns;
}

static void move_to(struct agent_cost *self, struct collector_set *set, enum governor_move move,
		    uint64_t spent_ppm)
{
	const unsigned int level = self->governor.level;
	const double spent = (double)spent_ppm / 1e4,
		     budget = (double)self->config->budget_ppm / 1e4;
	char parts[160];
	int r;

	collector_set_parts_off(set, level, parts, sizeof(parts));
	self->reason[0] = '\0';
	if (level > 0)
		(void)snprintf(
			self->reason, sizeof(self->reason),
			"off: %s; the agent took %.3f %% of this host's CPU time, its budget "
			"is %.3f %%",
			parts, spent, budget);
	if (move == GOVERNOR_DOWN)
		log_warning("governor: %s is off now: the agent took %.3f %% of this host's CPU "
			    "time, its budget is %.3f %%; %u of %u parts are off",
			    collector_set_part(set, level), spent, budget, level,
			    self->governor.n_levels);
	else
		log_info("governor: %s is on again: the agent took %.3f %% of this host's CPU "
			 "time, its budget is %.3f %%; %u of %u parts are off",
			 collector_set_part(set, level + 1), spent, budget, level,
			 self->governor.n_levels);
	r = collector_set_level(set, level, self->reason);
	if (r < 0)
		log_error("governor: that did not work: %s; it runs on as before", strerror(-r));
}

static void govern(struct agent_cost *self, struct collector_set *set, const struct window *window,
		   const struct batch_cost *cost, uint64_t programs_ppm)
{
	const struct governor_window seen = {
		.spent_ppm = cost->spent_ppm,
		.programs_ppm = programs_ppm,
		.switches_per_s = (double)window->host.context_switches * (double)NS_PER_SECOND /
				  (double)window->duration_ns,
	};
	const unsigned int level = self->governor.level;
	enum governor_move move;

	/* The first and last windows are short: what comes once a window weighs too much there. */
	if (window->duration_ns < self->config->window_ns / 2)
		return;
	move = governor_step(&self->governor, &seen);
	if (move != GOVERNOR_STAY)
		move_to(self, set, move, cost->spent_ppm);
	else if (level == self->governor.n_levels && governor_is_beaten(&self->governor))
		log_warning("governor: the agent took %.3f %% of this host's CPU time, its budget "
			    "is %.3f %%, and there is nothing more to leave out",
			    (double)cost->spent_ppm / 1e4, (double)self->config->budget_ppm / 1e4);
}

void agent_cost_fill(struct agent_cost *self, struct collector_set *set,
		     const struct window *window, struct batch_cost *cost)
{
	uint64_t programs_ns = 0;

	if (self->config->self_cost != SELF_COST_OFF)
		programs_ns = fill_programs(self, set, cost);
	cost->budget_ppm = self->config->budget_ppm;
	cost->spent_ppm = self_cost_ppm(programs_ns + cost->user_ns + cost->system_ns,
					window->duration_ns, window->host.cpus_online);
	/* As it was while this window lasted; what follows from it comes with the next. */
	cost->governor_level = self->governor.level;
	(void)snprintf(self->told_reason, sizeof(self->told_reason), "%s", self->reason);
	cost->governor_reason = self->told_reason;
	govern(self, set, window, cost,
	       self_cost_ppm(programs_ns, window->duration_ns, window->host.cpus_online));
	arm_slice(self);
}
