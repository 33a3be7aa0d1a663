#include "window/window_fixture.h"

static void a_row_is_new_minus_old(void **state)
{
	struct fixture *f = *state;
	struct sched_counters *before = sched(&f->old, 5, 1000, 50);
	struct sched_counters *after = sched(&f->new, 5, 1700, 91);
	const struct window_row *beta;

	*before = (struct sched_counters){.ran_ns = before->ran_ns,
					  .wait_ns = before->wait_ns,
					  .migrated_wait_ns = 3,
					  .throttled_out = 2,
					  .runq = {[4] = 5, [94] = UINT32_MAX, [95] = 2}};
	after->migrated_wait_ns = 14;
	after->throttled_out = 5;
	after->runq[4] = 16;
	after->runq[94] = 1; /* it wrapped */
	after->runq[95] = 4;
	beta = row(diff(f), 300);

	assert_non_null(beta);
	assert_true(beta->is_container);
	assert_int_equal(beta->has, CGROUP_HAS_SCHED);
	assert_int_equal(beta->sched.ran_ns, 700 * MS);
	assert_int_equal(beta->sched.wait_ns, 41 * MS);
	assert_int_equal(beta->sched.wait_count, 15);
	assert_int_equal(beta->sched.migrated_wait_ns, 11);
	assert_int_equal(beta->sched.throttled_out, 3);
	assert_int_equal(beta->sched.runq[4], 11);
	assert_int_equal(beta->sched.runq[94], 2);
	assert_int_equal(beta->sched.runq[95], 2);
	assert_int_equal(f->window.duration_ns, 10000 * MS);
}

static void a_cgroup_made_again_is_never_differenced(void **state)
{
	struct fixture *f = *state;

	/* Its slot began again while the id stayed: one counter behind is enough. */
	sched(&f->old, 5, 1000, 50);
	sched(&f->new, 5, 2000, 49);
	cpu(&f->old, 5, 900, 30, 3);
	cpu(&f->new, 5, 800, 31, 1);
	assert_null(row(diff(f), 300));
}

static void a_part_that_went_back_leaves_the_others_alone(void **state)
{
	struct fixture *f = *state;
	const struct window_row *beta;

	sched(&f->old, 5, 1000, 50);
	sched(&f->new, 5, 2000, 60);
	cpu(&f->old, 5, 900, 30, 3);
	cpu(&f->new, 5, 800, 31, 4);
	beta = row(diff(f), 300);
	assert_non_null(beta);
	assert_int_equal(beta->has, CGROUP_HAS_SCHED | CGROUP_HAS_BANDWIDTH);
	assert_int_equal(beta->usage_ns, 0);
	assert_int_equal(beta->quotas[0].nr_throttled, 1);
}

static void a_new_cgroup_counts_from_zero_but_shows_no_cpu_stat(void **state)
{
	struct fixture *f = *state;
	const struct window_row *beta;

	sched(&f->new, 5, 70, 30);
	cpu(&f->new, 5, 70, 12, 4);
	beta = row(diff(f), 300);
	assert_non_null(beta);
	assert_int_equal(beta->has, CGROUP_HAS_SCHED);
	assert_int_equal(beta->sched.ran_ns, 70 * MS);
	assert_int_equal(beta->n_quotas, 0);
}

static void a_cgroup_that_went_gives_no_row(void **state)
{
	struct fixture *f = *state;

	sched(&f->old, 5, 1000, 50);
	assert_null(row(diff(f), 300));
}

static void nested_cgroups_are_one_container(void **state)
{
	struct fixture *f = *state;
	const struct window_row *alpha;

	sched(&f->old, 3, 0, 0);
	sched(&f->new, 3, 100, 10)->runq[3] = 2;
	sched(&f->new, 4, 200, 20)->runq[3] = 5;
	/* cpu.stat of the upper one holds the lower one. */
	cpu(&f->old, 3, 1000, 10, 1);
	cpu(&f->new, 3, 1300, 20, 4)->quota_us = 50000;
	cpu(&f->old, 4, 600, 0, 0);
	cpu(&f->new, 4, 800, 0, 0);
	alpha = row(diff(f), 200);

	assert_non_null(alpha);
	assert_int_equal(alpha->sched.ran_ns, 300 * MS);
	assert_int_equal(alpha->sched.wait_ns, 30 * MS);
	assert_int_equal(alpha->sched.runq[3], 7);
	assert_int_equal(alpha->usage_ns, 300 * MS);
	assert_int_equal(alpha->n_quotas, 1);
	assert_string_equal(alpha->quotas[0].cgroup_path, "/pods/alpha");
	assert_int_equal(alpha->quotas[0].nr_throttled, 3);
	assert_int_equal(f->window.n_rows, 1);
}

static void own_quota_comes_first_then_ancestors_that_have_one(void **state)
{
	struct fixture *f = *state;
	const struct window_row *alpha;
	struct cpu_counters *pods;

	cpu(&f->old, 1, 0, 0, 0); /* an ancestor without a quota is not listed */
	cpu(&f->new, 1, 9000, 0, 0);
	cpu(&f->old, 2, 100, 10, 5);
	pods = cpu(&f->new, 2, 900, 110, 45);
	pods->quota_us = 200000;
	pods->period_us = 100000;
	pods->throttled_ns = 77;
	cpu(&f->old, 3, 100, 0, 0);
	cpu(&f->new, 3, 400, 0, 0);
	alpha = row(diff(f), 200);

	assert_non_null(alpha);
	assert_int_equal(alpha->n_quotas, 2);
	assert_true(alpha->quotas[0].own);
	assert_int_equal(alpha->quotas[0].quota_us, 0);
	assert_false(alpha->quotas[1].own);
	assert_string_equal(alpha->quotas[1].cgroup_path, "/pods");
	assert_int_equal(alpha->quotas[1].quota_us, 200000);
	assert_int_equal(alpha->quotas[1].nr_periods, 100);
	assert_int_equal(alpha->quotas[1].nr_throttled, 40);
	assert_int_equal(alpha->quotas[1].throttled_ns, 77);
}

static void quiet_system_cgroups_are_folded_and_busy_ones_not(void **state)
{
	struct fixture *f = *state;
	const struct window *window;

	sched(&f->new, 6, 1, 0); /* 1 ms is not quiet any more */
	sched(&f->new, 7, 0, 0)->ran_ns = 600000;
	f->new.cgroups[1].sched.wait_ns = 399999;
	sched(&f->new, 8, 0, 0)->ran_ns = 5;
	sched(&f->new, 5, 0, 0); /* an idle container is a container */
	window = diff(f);

	assert_non_null(row(window, 102));
	assert_null(row(window, 103));
	assert_null(row(window, 104));
	assert_non_null(row(window, 300));
	assert_non_null(row(window, FOLD));
	assert_false(row(window, FOLD)->is_container);
	assert_int_equal(row(window, FOLD)->sched.ran_ns, 600005);
	assert_int_equal(row(window, FOLD)->sched.wait_ns, 399999);
}

static void a_throttled_system_cgroup_is_not_folded(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 7, 0, 0);
	cpu(&f->old, 7, 0, 10, 1);
	cpu(&f->new, 7, 0, 20, 2);
	assert_non_null(row(diff(f), 103));
}

static void without_the_scheduler_usage_says_who_is_quiet(void **state)
{
	struct fixture *f = *state;
	const struct window *window;

	cpu(&f->old, 6, 10, 0, 0);
	cpu(&f->new, 6, 15, 0, 0);
	cpu(&f->old, 7, 10, 0, 0);
	cpu(&f->new, 7, 10, 0, 0)->usage_ns += 999999;
	window = diff(f);
	assert_int_equal(row(window, 102)->usage_ns, 5 * MS);
	assert_null(row(window, 103));
	assert_int_equal(row(window, FOLD)->usage_ns, 999999);
	assert_int_equal(row(window, FOLD)->has, CGROUP_HAS_USAGE);
	assert_int_equal(row(window, FOLD)->n_quotas, 0);
}

static void usage_is_not_shown_twice_on_the_way_up(void **state)
{
	struct fixture *f = *state;
	const struct window *window;

	for (uint64_t id = 1; id <= 3; id++) {
		sched(&f->new, id, 5, 0);
		cpu(&f->old, id, 0, 0, 0);
		cpu(&f->new, id, 500, 0, 0);
	}
	window = diff(f);
	assert_int_equal(row(window, 200)->usage_ns, 500 * MS);
	assert_false(row(window, 100)->has & CGROUP_HAS_USAGE);
	assert_false(row(window, 101)->has & CGROUP_HAS_USAGE);
	assert_int_equal(row(window, 101)->usage_ns, 0);
}

static void an_unknown_cgroup_goes_to_the_fold_row(void **state)
{
	struct fixture *f = *state;
	const struct window *window;

	sched(&f->new, 9, 300, 20);
	sched(&f->new, 5, 100, 0);
	assert_int_equal(snapshot_add_pair(&f->new, &(struct pair_counter){5, 9, 4, 0}), 0);
	window = diff(f);
	assert_int_equal(row(window, FOLD)->sched.ran_ns, 300 * MS);
	assert_int_equal(pair(window, 300, FOLD), 4);
	assert_int_equal(row(window, 300)->preempted_system, 4);
}

static void a_forgotten_window_is_empty_and_made_again(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 5, 100, 10)->runq[4] = 3;
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 5, 4, 7});
	for (int round = 0; round < 2; round++) {
		assert_int_equal(row(diff(f), 300)->sched.wait_count, 3);
		assert_int_equal(pair(&f->window, 300, 300), 4);
		window_forget(&f->window);
		assert_int_equal(f->window.n_rows + f->window.n_pairs, 0);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_row_is_new_minus_old),
		TEST(a_cgroup_made_again_is_never_differenced),
		TEST(a_part_that_went_back_leaves_the_others_alone),
		TEST(a_new_cgroup_counts_from_zero_but_shows_no_cpu_stat),
		TEST(a_cgroup_that_went_gives_no_row),
		TEST(nested_cgroups_are_one_container),
		TEST(own_quota_comes_first_then_ancestors_that_have_one),
		TEST(quiet_system_cgroups_are_folded_and_busy_ones_not),
		TEST(a_throttled_system_cgroup_is_not_folded),
		TEST(without_the_scheduler_usage_says_who_is_quiet),
		TEST(usage_is_not_shown_twice_on_the_way_up),
		TEST(an_unknown_cgroup_goes_to_the_fold_row),
		TEST(a_forgotten_window_is_empty_and_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
