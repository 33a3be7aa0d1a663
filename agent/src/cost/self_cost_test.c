#include "cost/self_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct run_model typical = {60, 20};
static const struct run_model unknown;

static void without_statistics_the_model_counts_runs_and_charges(void **state)
{
	const struct run_model model = self_cost_model(&typical, 1.5);
	const struct run_figures before = {.run_count = 1000, .charge_count = 500};
	const struct run_figures now = {.run_count = 2000, .charge_count = 10500};
	const struct run_cost cost = self_cost_of(&model, &before, &now);

	(void)state;
	assert_int_equal(cost.method, COST_METHOD_ESTIMATED);
	assert_int_equal(cost.run_count, 1000);
	assert_int_equal(cost.run_ns, 1000 * 90 + 10000 * 30);
}

/* A slice of the window gives the price, our own count the number. */
static void a_slice_with_statistics_is_scaled_to_the_whole_window(void **state)
{
	const struct run_model model = self_cost_model(&typical, 1);
	const struct run_figures before = {1000, 0, 70, 7000};
	const struct run_figures now = {101000, 90000, 2070, 7000 + 2000 * 123};
	const struct run_cost cost = self_cost_of(&model, &before, &now);

	(void)state;
	assert_int_equal(cost.method, COST_METHOD_MEASURED);
	assert_int_equal(cost.run_count, 100000);
	assert_int_equal(cost.run_ns, 12300000);
}

static void a_slice_in_which_hardly_anything_ran_says_nothing(void **state)
{
	const struct run_model model = self_cost_model(&typical, 1);
	const struct run_figures before = {0};
	const struct run_figures now = {1000, 0, SELF_COST_MIN_STAT_RUNS - 1, 1000000};

	(void)state;
	assert_int_equal(self_cost_of(&model, &before, &now).method, COST_METHOD_ESTIMATED);
	assert_int_equal(self_cost_of(&model, &before, &now).run_ns, 60000);
}

static void a_program_that_was_loaded_again_counts_from_zero(void **state)
{
	const struct run_model model = self_cost_model(&typical, 1);
	const struct run_figures before = {5000, 5000, 5000, 500000};
	const struct run_figures now = {1000, 100, 0, 0};
	const struct run_cost cost = self_cost_of(&model, &before, &now);

	(void)state;
	assert_int_equal(cost.run_count, 1000);
	assert_int_equal(cost.run_ns, 62000);
}

static void a_calibration_gone_wrong_is_not_believed(void **state)
{
	(void)state;
	assert_true(self_cost_scale(&typical, 160, 1) == 2.0);
	assert_true(self_cost_scale(&typical, -40, 1) == 1.0);
	assert_true(self_cost_scale(&typical, 5, 1) == 1.0);
	assert_true(self_cost_scale(&typical, 100000, 1) == 1.0);
	assert_true(self_cost_scale(&typical, 260, 10) == 1.0);
	assert_true(self_cost_scale(&unknown, 100, 1) == 1.0);
}

static void a_program_without_typical_figures_is_not_free(void **state)
{
	const struct run_model model = self_cost_model(&unknown, 2);

	(void)state;
	assert_true(model.run_ns == 2 * SELF_COST_UNKNOWN_RUN_NS);
}

static void share_is_of_all_cpus(void **state)
{
	(void)state;
	assert_int_equal(self_cost_ppm(100000000, 10000000000, 2), 5000); /* 0.5 % */
	assert_int_equal(self_cost_ppm(5, 0, 2), 0);
	assert_int_equal(self_cost_ppm(5, 10, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_statistics_the_model_counts_runs_and_charges),
		cmocka_unit_test(a_slice_with_statistics_is_scaled_to_the_whole_window),
		cmocka_unit_test(a_slice_in_which_hardly_anything_ran_says_nothing),
		cmocka_unit_test(a_program_that_was_loaded_again_counts_from_zero),
		cmocka_unit_test(a_calibration_gone_wrong_is_not_believed),
		cmocka_unit_test(a_program_without_typical_figures_is_not_free),
		cmocka_unit_test(share_is_of_all_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
