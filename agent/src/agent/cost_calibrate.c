#include "agent/cost_calibrate.h"

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

static struct run_model typical_of(const struct collector_program *program)
{
	return (struct run_model){program->typical_run_ns, program->typical_charge_ns};
}

struct costed_program *agent_cost_program(struct agent_cost *self,
					  const struct collector_program *program)
{
	const struct run_model typical = typical_of(program);
	struct costed_program *made;

	for (size_t i = 0; i < self->n_programs; i++) {
		if (strcmp(self->programs[i].name, program->name) == 0)
			return &self->programs[i];
	}
	/* There are as many places as the collectors have programs: the last is for safety. */
	made = &self->programs[self->n_programs];
	if (self->n_programs + 1 < MAX_COSTED_PROGRAMS)
		self->n_programs++;
	*made = (struct costed_program){.model = self_cost_model(&typical, self->scale)};
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

/* One program before and after the ping-pong. */
struct trial {
	const struct collector_program *before, *after;
	struct costed_program *costed;
	uint64_t stat_run_count, stat_run_ns; /* between the two */
};

static double charges_per_run(const struct trial *trial)
{
	const uint64_t runs = trial->after->run_count - trial->before->run_count;
	const uint64_t charges = trial->after->charge_count - trial->before->charge_count;

	return runs ? (double)charges / (double)runs : 0.0;
}

/* Calls `visit` for every program that ran often enough for a figure; how many did. */
static unsigned int each_trial(struct agent_cost *self, const struct collector_set *set,
			       void (*visit)(struct agent_cost *, const struct trial *))
{
	unsigned int n = 0;

	for (size_t i = 0; i < set->n_running; i++) {
		const struct collector_report *before = &set->running[i].before;
		const struct collector_report *after = &set->running[i].report;

		for (size_t p = 0; p < after->n_programs && p < before->n_programs; p++) {
			struct costed_program *costed =
				agent_cost_program(self, &after->programs[p]);
			const uint64_t runs = costed->stat_run_count, ns = costed->stat_run_ns;
			struct trial trial = {&before->programs[p], &after->programs[p], costed, 0,
					      0};

			if (trial.after->fd < 0 ||
			    bpf_statistics_read(trial.after->fd, &costed->stat_run_count,
						&costed->stat_run_ns) < 0)
				continue;
			trial.stat_run_count = costed->stat_run_count - runs;
			trial.stat_run_ns = costed->stat_run_ns - ns;
			if (trial.stat_run_count < CALIBRATED_RUNS &&
			    trial.after->run_count - trial.before->run_count < CALIBRATED_RUNS)
				continue;
			visit(self, &trial);
			n++;
		}
	}
	return n;
}

static void ignore(struct agent_cost *self, const struct trial *trial)
{
	(void)self;
	(void)trial;
}

static void learn_from_statistics(struct agent_cost *self, const struct trial *trial)
{
	const struct run_model typical = typical_of(trial->after);
	double run_ns;

	if (trial->stat_run_count < CALIBRATED_RUNS)
		return;
	run_ns = (double)trial->stat_run_ns / (double)trial->stat_run_count;
	self->scale = self_cost_scale(&typical, run_ns, charges_per_run(trial));
	trial->costed->is_measured = true;
	trial->costed->model = typical.run_ns > 0.0 ? self_cost_model(&typical, self->scale)
						    : (struct run_model){.run_ns = run_ns};
	log_info("self-cost: a run of %s cost %.0f ns in a ping-pong, by the kernel's BPF "
		 "statistics",
		 trial->after->name, run_ns);
}

/* Whatever ran at each switch: one program, as long as one collector hooks it. */
static void learn_from_timing(struct agent_cost *self, const struct trial *trial)
{
	const struct run_model typical = typical_of(trial->after);

	self->scale = self_cost_scale(&typical, self->timed_switch_ns - self->bare_switch_ns,
				      charges_per_run(trial));
	log_info("self-cost: a switch took %.0f ns without and %.0f ns with %s: estimates are %.1f "
		 "times what is typical",
		 self->bare_switch_ns, self->timed_switch_ns, trial->after->name, self->scale);
}

/* Reads collectors, so that their reports of before and after a ping-pong can be compared. */
static void read_reports(struct collector_set *set, struct snapshot *scratch)
{
	snapshot_reset(scratch, clock_ns(CLOCK_MONOTONIC));
	collector_set_read(set, scratch);
}

static int by_statistics(struct agent_cost *self, struct collector_set *set,
			 struct snapshot *scratch)
{
	cleanup(close_fdp) int fd = -1;
	uint64_t n_switches;
	int r = bpf_statistics_hold(&fd);

	if (r < 0)
		return r;
	(void)each_trial(self, set, ignore); /* where the kernel's figures stand */
	r = ping_pong_run(CALIBRATE_NS, &n_switches);
	if (r < 0)
		return r;
	read_reports(set, scratch);
	if (each_trial(self, set, learn_from_statistics) == 0)
		log_info("self-cost: no program ran in a ping-pong: estimates are what is typical");
	return 0;
}

static int by_timing(struct agent_cost *self, struct collector_set *set, struct snapshot *scratch)
{
	int r = ping_pong_switch_ns(CALIBRATE_NS, &self->timed_switch_ns);

	if (r < 0)
		return r;
	read_reports(set, scratch);
	if (self->bare_switch_ns <= 0.0 || each_trial(self, set, learn_from_timing) == 0)
		log_info("self-cost: no program ran in a ping-pong: estimates are what is typical");
	return 0;
}

void agent_cost_calibrate(struct agent_cost *self, struct collector_set *set,
			  struct snapshot *scratch)
{
	int r = -EPERM;

	read_reports(set, scratch);
	collector_set_mark(set);
	if (privilege_is_held(CAP_SYS_ADMIN)) {
		r = by_statistics(self, set, scratch);
		if (r < 0)
			log_warning("self-cost: cannot calibrate by BPF statistics: %s",
				    strerror(-r));
	}
	if (r < 0 && (r = by_timing(self, set, scratch)) < 0)
		log_warning("self-cost: cannot time a switch: %s", strerror(-r));
	/* What ran too seldom for a figure of its own: as typical, on this machine. */
	for (size_t i = 0; i < set->n_running; i++) {
		const struct collector_report *report = &set->running[i].report;

		for (size_t p = 0; p < report->n_programs; p++) {
			const struct run_model typical = typical_of(&report->programs[p]);
			struct costed_program *costed =
				agent_cost_program(self, &report->programs[p]);

			if (!costed->is_measured)
				costed->model = self_cost_model(&typical, self->scale);
		}
	}
}
