#include "agent_cost_calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "collectors/self/ping_pong.h"
#include "collectors/self/statistics.h"
#include "config.h"
#include "privileges.h"

#define CALIBRATE_NS	40000000ULL
#define CALIBRATED_RUNS 1000 /* fewer say nothing */

struct costed_program *agent_cost_program(struct agent_cost *self,
					  const struct collector_program *program)
{
	struct costed_program *made;

	for (size_t i = 0; i < self->n_programs; i++) {
		if (strcmp(self->programs[i].name, program->name) == 0)
			return &self->programs[i];
	}
	/* There are as many places as the collectors have programs: the last is for safety. */
	made = &self->programs[self->n_programs];
	if (self->n_programs + 1 < MAX_COSTED_PROGRAMS)
		self->n_programs++;
	*made = (struct costed_program){
		.model = self_cost_model(self->scale, program->typical_run_ns,
					 program->typical_charge_ns),
	};
	(void)snprintf(made->name, sizeof(made->name), "%s", program->name);
	return made;
}

void agent_cost_prepare(struct agent_cost *self, const struct config *config)
{
	int r;

	self->config = config;
	self->statistics_fd = -1;
	self->scale = 1.0;
	if (config->self_cost == SELF_COST_OFF || privilege_is_held(CAP_SYS_ADMIN))
		return;
	r = ping_pong_switch_ns(CALIBRATE_NS, &self->bare_switch_ns);
	if (r < 0)
		log_warning("self-cost: cannot time a switch: %s", strerror(-r));
}

/* Calls `visit` for every program that collectors have loaded. */
static void each_program(struct agent_cost *self, const struct collector_set *set,
			 void (*visit)(struct agent_cost *, const struct collector_program *))
{
	for (size_t i = 0; i < set->n_running; i++) {
		const struct collector_report *report = &set->running[i].report;

		for (size_t p = 0; p < report->n_programs; p++) {
			if (report->programs[p].fd >= 0)
				visit(self, &report->programs[p]);
		}
	}
}

static void note_statistics(struct agent_cost *self, const struct collector_program *program)
{
	struct costed_program *costed = agent_cost_program(self, program);

	if (bpf_statistics_read(program->fd, &costed->stat_run_count, &costed->stat_run_ns) < 0)
		log_debug("self-cost: the kernel does not tell the runs of %s", program->name);
}

/* In a ping-pong each run ends one wait, behind one other: one charge. */
static void learn_from_statistics(struct agent_cost *self, const struct collector_program *program)
{
	struct costed_program *costed = agent_cost_program(self, program);
	const uint64_t runs = costed->stat_run_count, ns = costed->stat_run_ns;
	double run_ns;

	note_statistics(self, program);
	if (costed->stat_run_count < runs + CALIBRATED_RUNS)
		return;
	run_ns = (double)(costed->stat_run_ns - ns) / (double)(costed->stat_run_count - runs);
	self->scale = self_cost_scale(run_ns, program->typical_run_ns, program->typical_charge_ns);
	costed->is_measured = true;
	costed->model =
		self_cost_model(self->scale, program->typical_run_ns, program->typical_charge_ns);
	if (program->typical_run_ns == 0)
		costed->model = (struct run_model){.run_ns = run_ns};
	log_info("self-cost: a run of %s cost %.0f ns in a ping-pong, by the kernel's BPF "
		 "statistics",
		 program->name, run_ns);
}

/* What runs too seldom for a figure of its own: as typical, on this machine. */
static void scale_the_rest(struct agent_cost *self, const struct collector_program *program)
{
	struct costed_program *costed = agent_cost_program(self, program);

	if (!costed->is_measured)
		costed->model = self_cost_model(self->scale, program->typical_run_ns,
						program->typical_charge_ns);
}

static int by_statistics(struct agent_cost *self, const struct collector_set *set)
{
	cleanup(close_fdp) int fd = -1;
	uint64_t n_switches;
	int r = bpf_statistics_hold(&fd);

	if (r < 0)
		return r;
	each_program(self, set, note_statistics);
	r = ping_pong_run(CALIBRATE_NS, &n_switches);
	if (r < 0)
		return r;
	each_program(self, set, learn_from_statistics);
	return 0;
}

/* The programs of one switch together; only the first of a collector runs at each. */
static void by_timing(struct agent_cost *self, const struct collector_set *set)
{
	const struct collector_program *first = NULL;
	double switch_ns;

	for (size_t i = 0; i < set->n_running && !first; i++) {
		if (set->running[i].report.n_programs > 0)
			first = &set->running[i].report.programs[0];
	}
	if (!first || self->bare_switch_ns <= 0.0 ||
	    ping_pong_switch_ns(CALIBRATE_NS, &switch_ns) < 0)
		return;
	self->scale = self_cost_scale(switch_ns - self->bare_switch_ns, first->typical_run_ns,
				      first->typical_charge_ns);
	log_info("self-cost: a switch took %.0f ns before and %.0f ns with %s: estimates are %.1f "
		 "times what is typical",
		 self->bare_switch_ns, switch_ns, first->name, self->scale);
}

void agent_cost_calibrate(struct agent_cost *self, const struct collector_set *set)
{
	int r = -EPERM;

	if (privilege_is_held(CAP_SYS_ADMIN)) {
		r = by_statistics(self, set);
		if (r < 0)
			log_warning("self-cost: cannot calibrate by BPF statistics: %s",
				    strerror(-r));
	}
	if (r < 0)
		by_timing(self, set);
	each_program(self, set, note_statistics);
	each_program(self, set, scale_the_rest);
}
