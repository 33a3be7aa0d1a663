#include "window/window_fixture.h"

static void wait_is_split_by_who_ran(void **state)
{
	struct fixture *f = *state;
	struct sched_counters *alpha;
	const struct window_row *victim;

	alpha = sched(&f->new, 3, 100, 100);
	sched(&f->new, 4, 100, 20); /* the same container */
	sched(&f->new, 5, 100, 0);
	sched(&f->new, 6, 100, 0);
	alpha->throttled_own_wait_ns = 5 * MS;
	alpha->throttled_ancestor_wait_ns = 6 * MS;
	alpha->idle_gap_wait_ns = 7 * MS;
	alpha->unattributed_wait_ns = 8 * MS;
	snapshot_add_pair(&f->old, &(struct pair_counter){3, 5, 0, 3 * MS});
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 5, 0, 33 * MS}); /* neighbor: 30 */
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 6, 2, 11 * MS}); /* system */
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 3, 0, 13 * MS}); /* self */
	snapshot_add_pair(&f->new, &(struct pair_counter){4, 3, 0, 17 * MS}); /* self, nested */
	victim = row(diff(f), 200);

	assert_int_equal(victim->sched.wait_ns, 120 * MS);
	assert_int_equal(victim->neighbor_wait_ns, 30 * MS);
	assert_int_equal(victim->system_wait_ns, 11 * MS);
	assert_int_equal(victim->self_wait_ns, 30 * MS);
	assert_int_equal(victim->sched.throttled_own_wait_ns, 5 * MS);
	assert_int_equal(victim->sched.throttled_ancestor_wait_ns, 6 * MS);
	assert_int_equal(victim->sched.idle_gap_wait_ns, 7 * MS);
	assert_int_equal(victim->sched.unattributed_wait_ns, (120 - 30 - 11 - 30 - 18) * MS);
	assert_int_equal(pair_wait(&f->window, 200, 300), 30 * MS);
	assert_int_equal(pair_wait(&f->window, 200, 102), 11 * MS);
	assert_int_equal(pair_wait(&f->window, 200, 200), 30 * MS);
}

static void a_wait_under_nobody_known_is_unattributed(void **state)
{
	struct fixture *f = *state;
	const struct window_row *beta;

	sched(&f->new, 5, 100, 50);
	sched(&f->new, 9, 100, 50);
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 0, 0, 10 * MS}); /* not told apart */
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 9, 3, 20 * MS}); /* without a name */
	snapshot_add_pair(&f->new, &(struct pair_counter){9, 9, 0, 40 * MS});
	beta = row(diff(f), 300);

	assert_int_equal(beta->sched.unattributed_wait_ns, 50 * MS);
	assert_int_equal(beta->system_wait_ns, 0);
	assert_int_equal(beta->preempted_system, 3);
	assert_int_equal(pair(&f->window, 300, FOLD), 3);
	assert_int_equal(pair_wait(&f->window, 300, FOLD), 0);
	/* Its own tasks are its own, whatever its name. */
	assert_int_equal(row(&f->window, FOLD)->self_wait_ns, 40 * MS);
	assert_int_equal(row(&f->window, FOLD)->sched.unattributed_wait_ns, 10 * MS);
}

static void folded_cgroups_are_system_to_others_and_self_among_themselves(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 5, 100, 50);
	sched(&f->new, 7, 0, 0)->wait_ns = 900;
	sched(&f->new, 8, 0, 0)->ran_ns = 10;
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 7, 0, 200});
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 8, 0, 300});
	snapshot_add_pair(&f->new, &(struct pair_counter){7, 8, 0, 400});
	snapshot_add_pair(&f->new, &(struct pair_counter){7, 5, 0, 450});
	diff(f);
	assert_int_equal(row(&f->window, 300)->system_wait_ns, 500);
	assert_int_equal(pair_wait(&f->window, 300, FOLD), 500);
	assert_int_equal(row(&f->window, FOLD)->self_wait_ns, 400);
	assert_int_equal(row(&f->window, FOLD)->neighbor_wait_ns, 450);
	assert_int_equal(row(&f->window, FOLD)->sched.unattributed_wait_ns, 50);
}

static void the_whole_follows_its_parts_when_they_were_read_later(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 5, 100, 50)->idle_gap_wait_ns = 2 * MS;
	sched(&f->new, 3, 100, 0);
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 3, 0, 50 * MS});
	diff(f);
	assert_int_equal(row(&f->window, 300)->sched.wait_ns, 52 * MS);
	assert_int_equal(row(&f->window, 300)->sched.unattributed_wait_ns, 0);
}

static void a_part_without_its_whole_is_left_out(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 3, 100, 10);
	sched(&f->old, 5, 100, 90); /* went back: nothing of it is differenced */
	sched(&f->new, 5, 100, 80);
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 3, 4, 50 * MS});
	diff(f);
	assert_int_equal(pair(&f->window, 300, 200), 4);
	assert_int_equal(pair_wait(&f->window, 300, 200), 0);
}

static void longest_wait_is_of_this_window_and_of_the_worst_cgroup(void **state)
{
	struct fixture *f = *state;

	sched(&f->old, 3, 1, 1)->max_wait_ns = 99 * MS;
	sched(&f->new, 3, 1, 1)->max_wait_ns = 3 * MS;
	sched(&f->new, 4, 1, 1)->max_wait_ns = 5 * MS;
	sched(&f->new, 5, 1, 1)->max_wait_ns = 2 * MS;
	diff(f);
	assert_int_equal(row(&f->window, 200)->sched.max_wait_ns, 5 * MS);
	assert_int_equal(row(&f->window, 300)->sched.max_wait_ns, 2 * MS);
}

static void both_histograms_are_differenced(void **state)
{
	struct fixture *f = *state;

	sched(&f->old, 3, 1, 1)->runq_unthrottled[7] = 10;
	sched(&f->new, 3, 1, 1)->runq_unthrottled[7] = 14;
	sched(&f->new, 4, 1, 1)->runq_unthrottled[7] = 2;
	diff(f);
	assert_int_equal(row(&f->window, 200)->sched.runq_unthrottled[7], 6);
	assert_int_equal(row(&f->window, 200)->sched.runq[7], 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(wait_is_split_by_who_ran),
		TEST(a_wait_under_nobody_known_is_unattributed),
		TEST(folded_cgroups_are_system_to_others_and_self_among_themselves),
		TEST(the_whole_follows_its_parts_when_they_were_read_later),
		TEST(a_part_without_its_whole_is_left_out),
		TEST(longest_wait_is_of_this_window_and_of_the_worst_cgroup),
		TEST(both_histograms_are_differenced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
