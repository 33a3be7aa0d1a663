#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cost/cost_method.h"

/*
 * What our programs in the kernel cost. Runs are counted by the programs themselves, at
 * every run. What one run costs comes from the kernel's statistics, for windows in which they
 * were on for a while, else from a model that was calibrated at start:
 *
 *	ns = scale x (runs x typical_run_ns + charges x typical_charge_ns)
 *
 * The kernel's figure contains its own 25 to 50 ns a run for taking the time twice; nothing
 * is taken off. It misses the way into the program and back. Pure.
 */

/* Cumulative, of one program. */
struct run_figures {
	uint64_t run_count, charge_count; /* its own */
	/* The kernel's: they stand still while statistics are off. */
	uint64_t stat_run_count, stat_run_ns;
};

struct run_model {
	double run_ns, charge_ns;
};

/* Fewer runs with statistics on say too little about a window. */
#define SELF_COST_MIN_STAT_RUNS 50

/* A program that nobody measured. */
#define SELF_COST_UNKNOWN_RUN_NS 500.0

struct run_cost {
	uint64_t run_count, run_ns;
	enum cost_method method;
};

struct run_cost self_cost_of(const struct run_model *model, const struct run_figures *before,
			     const struct run_figures *now);

/*
 * How much slower this machine is than the one that the typical figures are from, given what
 * a run cost that charged so many times. Out of all reason, as after a timing that something
 * disturbed: 1.
 */
double self_cost_scale(const struct run_model *typical, double measured_run_ns,
		       double charges_per_run);

struct run_model self_cost_model(const struct run_model *typical, double scale);

/* Share of the host's CPU time, in millionths; 0 if nothing is known of the window. */
uint64_t self_cost_ppm(uint64_t spent_ns, uint64_t duration_ns, uint32_t n_cpus);
