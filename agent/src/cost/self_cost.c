#include "cost/self_cost.h"

#define MIN_SCALE 0.1
#define MAX_SCALE 20.0

static uint64_t since(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now; /* loaded again: counts from zero */
}

struct run_cost self_cost_of(const struct run_model *model, const struct run_figures *before,
			     const struct run_figures *now)
{
	const uint64_t stat_runs = since(before->stat_run_count, now->stat_run_count);
	const uint64_t charges = since(before->charge_count, now->charge_count);
	struct run_cost cost = {.run_count = since(before->run_count, now->run_count)};
	double ns;

	if (stat_runs >= SELF_COST_MIN_STAT_RUNS) {
		ns = (double)since(before->stat_run_ns, now->stat_run_ns) / (double)stat_runs *
		     (double)cost.run_count;
		cost.method = COST_METHOD_MEASURED;
	} else {
		ns = (double)cost.run_count * model->run_ns + (double)charges * model->charge_ns;
		cost.method = COST_METHOD_ESTIMATED;
	}
	cost.run_ns = (uint64_t)(ns + 0.5);
	return cost;
}

double self_cost_scale(const struct run_model *typical, double measured_run_ns,
		       double charges_per_run)
{
	const double typical_ns = typical->run_ns + typical->charge_ns * charges_per_run;
	const double scale = typical_ns > 0.0 ? measured_run_ns / typical_ns : 1.0;

	return scale >= MIN_SCALE && scale <= MAX_SCALE ? scale : 1.0;
}

struct run_model self_cost_model(const struct run_model *typical, double scale)
{
	if (typical->run_ns <= 0.0)
		return (struct run_model){.run_ns = SELF_COST_UNKNOWN_RUN_NS * scale};
	return (struct run_model){typical->run_ns * scale, typical->charge_ns * scale};
}

uint64_t self_cost_ppm(uint64_t spent_ns, uint64_t duration_ns, uint32_t n_cpus)
{
	const double available_ns = (double)duration_ns * n_cpus;

	return available_ns > 0.0 ? (uint64_t)((double)spent_ns * 1e6 / available_ns + 0.5) : 0;
}
