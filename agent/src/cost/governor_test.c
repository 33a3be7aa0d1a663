#include "cost/governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BUDGET_PPM 5000

/* A host: the fixed cost of the agent, and what each part costs at some load. */
struct host {
	struct governor governor;
	unsigned int n_moves, n_ups;
};

#define N_PARTS 4
static const double ns_per_switch[N_PARTS + 1] = {300, 280, 200, 150, 80};

static struct host host_of(uint64_t budget_ppm)
{
	struct host host = {0};

	governor_init(&host.governor, budget_ppm, N_PARTS);
	return host;
}

/* One window with that many switches a second on two CPUs. */
static enum governor_move window(struct host *host, double switches_per_s)
{
	const unsigned int level = host->governor.level;
	const double ns = ns_per_switch[level < N_PARTS ? level : N_PARTS] * switches_per_s;
	const struct governor_window window = {
		.spent_ppm = (uint64_t)(ns / 2e9 * 1e6) + 300,
		.programs_ppm = (uint64_t)(ns / 2e9 * 1e6),
		.switches_per_s = switches_per_s,
	};
	const enum governor_move move = governor_step(&host->governor, &window);

	host->n_moves += move != GOVERNOR_STAY;
	host->n_ups += move == GOVERNOR_UP;
	return move;
}

static void windows(struct host *host, unsigned int n, double switches_per_s)
{
	for (unsigned int i = 0; i < n; i++)
		(void)window(host, switches_per_s);
}

static void everything_is_on_under_the_budget(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	windows(&host, 1000, 30000); /* 4,800 ppm */
	assert_int_equal(host.governor.level, 0);
	assert_int_equal(host.n_moves, 0);
}

static void no_budget_means_no_limit(void **state)
{
	struct host host = host_of(0);

	(void)state;
	windows(&host, 100, 1e7);
	assert_int_equal(host.governor.level, 0);
}

static void two_windows_over_cost_one_part(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	assert_int_equal(window(&host, 40000), GOVERNOR_STAY); /* 6,300 ppm */
	assert_int_equal(window(&host, 40000), GOVERNOR_DOWN);
	assert_int_equal(host.governor.level, 1);
}

static void one_window_far_over_costs_one_part_at_once(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	assert_int_equal(window(&host, 100000), GOVERNOR_DOWN); /* 15,300 ppm */
	assert_int_equal(window(&host, 100000), GOVERNOR_DOWN);
	assert_int_equal(host.governor.level, 2);
}

static void spikes_that_are_over_on_average_cost_one_part(void **state)
{
	struct host host = host_of(BUDGET_PPM);
	unsigned int n = 0;

	(void)state;
	while (host.governor.level == 0 && n < 20)
		(void)window(&host, n++ % 2 ? 25000 : 60000); /* 4,050 and 9,300 ppm in turn */
	assert_int_equal(host.governor.level, 1);
	assert_int_equal(n, GOVERNOR_CALM_WINDOWS);
}

static void below_the_last_part_there_is_nothing(void **state)
{
	struct host host = host_of(10);

	(void)state;
	windows(&host, 100, 100000);
	assert_int_equal(host.governor.level, N_PARTS);
	assert_int_equal(host.n_moves, N_PARTS);
}

static void calm_brings_all_back_one_by_one(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	windows(&host, N_PARTS, 300000);
	assert_int_equal(host.governor.level, N_PARTS);
	for (unsigned int part = N_PARTS; part > 0; part--) {
		for (unsigned int i = 1; i < GOVERNOR_CALM_WINDOWS; i++)
			assert_int_equal(window(&host, 5000), GOVERNOR_STAY);
		assert_int_equal(window(&host, 5000), GOVERNOR_UP);
		assert_int_equal(host.governor.level, part - 1);
	}
	windows(&host, 100, 5000);
	assert_int_equal(host.n_moves, 2 * N_PARTS);
}

static void what_would_not_fit_does_not_come_back(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	windows(&host, 2, 40000);
	assert_int_equal(host.governor.level, 1);
	windows(&host, 1, 22000); /* 3,380 ppm: under 70 %, and 3,600 with the part */
	assert_true(governor_predicted_ppm(&host.governor, 22000) > 150);
	windows(&host, 3 * GOVERNOR_CALM_WINDOWS, 22000);
	assert_int_equal(host.governor.level, 1);
	windows(&host, GOVERNOR_CALM_WINDOWS, 15000);
	assert_int_equal(host.governor.level, 0);
}

/* The load fell just when the first part went: all of that looks like the part's cost. */
static void a_wrong_guess_is_forgotten(void **state)
{
	struct governor governor;
	const struct governor_window dear = {20000, 19000, 50000}, cheap = {500, 100, 50000};
	unsigned int n = 0;

	(void)state;
	governor_init(&governor, BUDGET_PPM, N_PARTS);
	assert_int_equal(governor_step(&governor, &dear), GOVERNOR_DOWN);
	assert_int_equal(governor_step(&governor, &cheap), GOVERNOR_STAY);
	assert_true(governor_predicted_ppm(&governor, 50000) > 15000);
	while (governor.level > 0 && n++ < 360)
		(void)governor_step(&governor, &cheap);
	assert_true(n > 10 * GOVERNOR_CALM_WINDOWS && n < 120);
}

static void a_part_that_had_to_go_again_comes_back_later_each_time(void **state)
{
	struct host host = host_of(BUDGET_PPM);
	unsigned int waited = 0, before = 0;

	(void)state;
	/* The worst load there is: quiet until the part is back, then over at once. */
	windows(&host, 2, 45000);
	for (unsigned int round = 0; round < 8; round++) {
		for (waited = 0; host.governor.level > 0; waited++)
			(void)window(&host, 1000);
		assert_true(waited >= 2 * before || waited >= GOVERNOR_MAX_CALM);
		before = waited;
		while (host.governor.level == 0)
			(void)window(&host, 45000);
	}
	assert_int_equal(before, GOVERNOR_MAX_CALM);
}

static void a_long_quiet_time_forgives(void **state)
{
	struct host host = host_of(BUDGET_PPM);

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		windows(&host, 2, 45000);
		assert_int_equal(host.governor.level, 1);
		while (host.governor.level > 0)
			(void)window(&host, 1000);
	}
	assert_int_equal(host.governor.calm_needed, 4 * GOVERNOR_CALM_WINDOWS);
	windows(&host, 13 * GOVERNOR_CALM_WINDOWS, 1000);
	assert_int_equal(host.governor.calm_needed, GOVERNOR_CALM_WINDOWS);
}

static void a_flapping_load_does_not_make_it_flap(void **state)
{
	(void)state;
	for (unsigned int period = 1; period <= 40; period++) {
		struct host host = host_of(BUDGET_PPM);

		for (unsigned int n = 0; n < 8640; n++) /* a day */
			(void)window(&host, n / period % 2 ? 1000 : 100000);
		/* Once an hour at worst, each way up with its way down, after settling. */
		assert_true(host.n_ups <= 24 + 10 * N_PARTS);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Whatever the load: never out of range, never up early, never many moves. */
static void any_random_load_is_held(void **state)
{
	(void)state;
	for (uint64_t start = 1; start <= 200; start++) {
		struct host host = host_of(BUDGET_PPM);
		uint64_t seed = start * 0x9e3779b97f4a7c15ULL;
		unsigned int since_move = 0;
		double switches_per_s = 1000;

		for (unsigned int n = 0; n < 8640; n++) {
			enum governor_move move;

			if (next_random(&seed) % 8 == 0)
				switches_per_s = (double)(next_random(&seed) % 150000);
			move = window(&host, switches_per_s);
			since_move++;
			if (move == GOVERNOR_UP)
				assert_true(since_move >= GOVERNOR_CALM_WINDOWS);
			if (move != GOVERNOR_STAY)
				since_move = 0;
			assert_true(host.governor.level <= N_PARTS);
		}
		assert_true(host.n_ups <= 24 + 10 * N_PARTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_on_under_the_budget),
		cmocka_unit_test(no_budget_means_no_limit),
		cmocka_unit_test(two_windows_over_cost_one_part),
		cmocka_unit_test(one_window_far_over_costs_one_part_at_once),
		cmocka_unit_test(spikes_that_are_over_on_average_cost_one_part),
		cmocka_unit_test(below_the_last_part_there_is_nothing),
		cmocka_unit_test(calm_brings_all_back_one_by_one),
		cmocka_unit_test(what_would_not_fit_does_not_come_back),
		cmocka_unit_test(a_wrong_guess_is_forgotten),
		cmocka_unit_test(a_part_that_had_to_go_again_comes_back_later_each_time),
		cmocka_unit_test(a_long_quiet_time_forgives),
		cmocka_unit_test(a_flapping_load_does_not_make_it_flap),
		cmocka_unit_test(any_random_load_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
