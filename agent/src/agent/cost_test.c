#include "agent/cost.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config.h"

#define SECOND 1000000000ULL

/* Two collectors with parts that can be left out, and one without. */
struct fake {
	unsigned int level;
	int result;
};

static int fake_set_level(void *state, unsigned int level)
{
	struct fake *fake = state;

	if (fake->result == 0)
		fake->level = level;
	return fake->result;
}

static const char *const first_parts[] = {"exemplars", "blame", NULL};
static const char *const second_parts[] = {"stacks", NULL};
static const struct collector first = {
	.name = "first", .optional_parts = first_parts, .set_level = fake_set_level};
static const struct collector plain = {.name = "plain"};
static const struct collector second = {
	.name = "second", .optional_parts = second_parts, .set_level = fake_set_level};

struct rig {
	struct config config;
	struct fake fakes[3];
	struct collector_set set;
	struct agent_cost cost;
	struct window window;
	struct batch batch;
};

static int set_up(void **state)
{
	static const struct collector *const all[] = {&first, &plain, &second};
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->config = (struct config){
		.window_ns = 10 * SECOND, .budget_ppm = 5000, .self_cost = SELF_COST_ESTIMATE};
	for (size_t i = 0; i < 3; i++) {
		rig->set.running[i].collector = all[i];
		rig->set.running[i].state = &rig->fakes[i];
		rig->set.running[i].report.state = COLLECTOR_OK;
	}
	rig->set.n_running = 3;
	rig->set.running[0].report.programs[0] = (struct collector_program){
		.name = "sched_switch", .fd = -1, .typical_run_ns = 60, .typical_charge_ns = 20};
	rig->set.running[0].report.n_programs = 1;
	collector_set_mark(&rig->set);
	rig->cost = (struct agent_cost){.config = &rig->config, .statistics_fd = -1, .scale = 1.0};
	rig->window = (struct window){
		.duration_ns = 10 * SECOND,
		.host = {.cpus_online = 2, .context_switches = 1000000},
	};
	governor_init(&rig->cost.governor, rig->config.budget_ppm, collector_set_levels(&rig->set));
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

/* One window in which the program ran so often; the process itself took 10 ms. */
static const struct batch_cost *window(struct rig *rig, uint64_t runs)
{
	struct collector_program *program = &rig->set.running[0].report.programs[0];

	program->run_count += runs;
	program->charge_count += 2 * runs;
	rig->batch = (struct batch){0};
	rig->batch.cost.user_ns = 10000000;
	collector_set_report(&rig->set, &rig->batch);
	agent_cost_fill(&rig->cost, &rig->set, &rig->window, &rig->batch.cost);
	collector_set_mark(&rig->set);
	return &rig->batch.cost;
}

static void a_batch_says_what_the_agent_cost(void **state)
{
	const struct batch_cost *cost = window(*state, 400000);

	assert_int_equal(cost->n_programs, 1);
	assert_int_equal(cost->programs[0].run_count, 400000);
	assert_int_equal(cost->programs[0].run_ns, 40000000); /* 60 + 2 x 20 each */
	assert_int_equal(cost->method, COST_METHOD_ESTIMATED);
	assert_int_equal(cost->budget_ppm, 5000);
	assert_int_equal(cost->spent_ppm, 2500); /* 50 ms of 20 s */
	assert_int_equal(cost->governor_level, 0);
	assert_string_equal(cost->governor_reason, "");
}

static void ladder_goes_through_the_collectors_in_order(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(collector_set_levels(&rig->set), 3);
	for (unsigned int level = 1; level <= 3; level++) {
		(void)window(rig, 4000000);
		assert_int_equal(rig->cost.governor.level, level);
		assert_int_equal(rig->fakes[0].level, level < 2 ? level : 2);
		assert_int_equal(rig->fakes[2].level, level < 3 ? 0 : 1);
	}
	/* A switch got a thousand times cheaper: until that is believed, it takes a while. */
	for (unsigned int n = 0; n < 300; n++)
		(void)window(rig, 1000);
	assert_int_equal(rig->fakes[0].level, 0);
	assert_int_equal(rig->fakes[2].level, 0);
	assert_string_equal(rig->set.running[0].level_reason, "");
}

static void what_is_off_is_told_with_its_reason(void **state)
{
	struct rig *rig = *state;

	(void)window(rig, 4000000); /* 410 ms of 20 s */
	(void)window(rig, 1000);
	assert_int_equal(rig->batch.cost.governor_level, 1);
	assert_string_equal(rig->batch.cost.governor_reason,
			    "off: exemplars; the agent took 2.050 % of this host's CPU time, its "
			    "budget is 0.500 %");
	assert_int_equal(rig->batch.collectors[0].state, COLLECTOR_DEGRADED);
	assert_string_equal(rig->batch.collectors[0].reason, rig->batch.cost.governor_reason);
	assert_int_equal(rig->batch.collectors[1].state, COLLECTOR_OK);
	assert_int_equal(rig->batch.collectors[2].state, COLLECTOR_OK);
}

static void a_collector_that_refuses_runs_on(void **state)
{
	struct rig *rig = *state;

	rig->fakes[0].result = -EIO;
	(void)window(rig, 4000000);
	(void)window(rig, 4000000);
	(void)window(rig, 4000000);
	assert_int_equal(rig->fakes[0].level, 0);
	assert_int_equal(rig->fakes[2].level, 1); /* the next one can do it */
	(void)window(rig, 1000);
	assert_int_equal(rig->batch.collectors[0].state, COLLECTOR_OK);
	assert_int_equal(rig->batch.collectors[2].state, COLLECTOR_DEGRADED);
}

static void a_short_window_moves_nothing(void **state)
{
	struct rig *rig = *state;

	rig->window.duration_ns = SECOND;
	(void)window(rig, 4000000);
	assert_int_equal(rig->cost.governor.level, 0);
}

static void switched_off_it_counts_runs_only(void **state)
{
	struct rig *rig = *state;
	const struct batch_cost *cost;

	rig->config.self_cost = SELF_COST_OFF;
	cost = window(rig, 4000000);
	assert_int_equal(cost->method, COST_METHOD_UNKNOWN);
	assert_int_equal(cost->programs[0].run_count, 4000000);
	assert_int_equal(cost->programs[0].run_ns, 0);
	assert_int_equal(cost->spent_ppm, 500);
}

static void maps_are_told_with_what_failed_in_the_window(void **state)
{
	struct rig *rig = *state;
	struct collector_report *report = &rig->set.running[0].report;

	report->map_bytes = 4096;
	report->n_maps = 1;
	report->maps[0] = (struct collector_map){"slots", 10, 100, 7};
	(void)window(rig, 1);
	assert_int_equal(rig->batch.collectors[0].map_bytes, 4096);
	assert_int_equal(rig->batch.collectors[0].n_maps, 1);
	assert_int_equal(rig->batch.collectors[0].maps[0].failed_inserts, 7);
	report->maps[0].failed_inserts = 9;
	(void)window(rig, 1);
	assert_int_equal(rig->batch.collectors[0].maps[0].used, 10);
	assert_int_equal(rig->batch.collectors[0].maps[0].capacity, 100);
	assert_int_equal(rig->batch.collectors[0].maps[0].failed_inserts, 2);
}

static void a_collector_that_does_not_exist_cannot_be_disabled(void **state)
{
	struct rig *rig = *state;
	struct collector_set set = {0};

	rig->config.disable = (char[]){"sched,scheduler"};
	assert_int_equal(collector_set_open(&set, &rig->config, NULL), -EINVAL);
}

#define with_rig(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_rig(a_batch_says_what_the_agent_cost),
		with_rig(ladder_goes_through_the_collectors_in_order),
		with_rig(what_is_off_is_told_with_its_reason),
		with_rig(a_collector_that_refuses_runs_on),
		with_rig(a_short_window_moves_nothing),
		with_rig(switched_off_it_counts_runs_only),
		with_rig(maps_are_told_with_what_failed_in_the_window),
		with_rig(a_collector_that_does_not_exist_cannot_be_disabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
