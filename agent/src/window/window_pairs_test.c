#include "window/window_fixture.h"

static void causes_of_preemption_are_told_apart_by_container(void **state)
{
	struct fixture *f = *state;
	const struct window *window;
	static const uint64_t ids[] = {3, 4, 5, 6};

	for (size_t i = 0; i < 4; i++)
		sched(&f->new, ids[i], 100, 10);
	snapshot_add_pair(&f->old, &(struct pair_counter){3, 5, 10, 0});
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 5, 17, 0}); /* other: 7 */
	snapshot_add_pair(&f->new,
			  &(struct pair_counter){4, 5, 5, 0}); /* other, the same container: 5 */
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 4, 3, 0}); /* self, over two cgroups */
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 3, 2, 0}); /* self */
	snapshot_add_pair(&f->new, &(struct pair_counter){4, 6, 11, 0}); /* system */
	snapshot_add_pair(&f->new, &(struct pair_counter){6, 3, 13, 0});
	window = diff(f);

	assert_int_equal(row(window, 200)->preempted_other, 12);
	assert_int_equal(row(window, 200)->preempted_self, 5);
	assert_int_equal(row(window, 200)->preempted_system, 11);
	assert_int_equal(row(window, 102)->preempted_other, 13);
	assert_int_equal(pair(window, 200, 300), 12);
	assert_int_equal(pair(window, 200, 200), 5);
	assert_int_equal(pair(window, 200, 102), 11);
	assert_int_equal(window->n_pairs, 4);
}

static void a_folded_aggressor_is_system_to_its_victim(void **state)
{
	struct fixture *f = *state;
	const struct window *window;

	sched(&f->new, 5, 100, 10);
	sched(&f->new, 7, 0, 0)->ran_ns = 10;
	sched(&f->new, 8, 0, 0)->ran_ns = 10;
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 7, 3, 0});
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 8, 4, 0});
	snapshot_add_pair(&f->new, &(struct pair_counter){7, 8, 1, 0});
	window = diff(f);
	assert_int_equal(pair(window, 300, FOLD), 7);
	assert_int_equal(row(window, 300)->preempted_system, 7);
	assert_int_equal(row(window, FOLD)->preempted_self, 1);
}

static void a_pair_that_went_back_is_left_out(void **state)
{
	struct fixture *f = *state;

	sched(&f->new, 5, 100, 10);
	sched(&f->new, 3, 100, 10);
	snapshot_add_pair(&f->old, &(struct pair_counter){3, 5, 10, 0});
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 5, 9, 0});
	assert_int_equal(diff(f)->n_pairs, 0);
	assert_int_equal(row(&f->window, 200)->preempted_other, 0);
}

static void host_times_never_go_negative(void **state)
{
	struct fixture *f = *state;

	f->old.host = (struct host_counters){2, 100, 50, 900, 40, 3, 1000};
	f->new.host = (struct host_counters){2, 180, 70, 899, 41, 4, 1500};
	diff(f);
	assert_int_equal(f->window.host.user_ns, 80);
	assert_int_equal(f->window.host.idle_ns, 0);
	assert_int_equal(f->window.host.context_switches, 500);
	f->old.host.cpus_online = 0; /* was not read */
	diff(f);
	assert_int_equal(f->window.host.user_ns, 0);
	assert_int_equal(f->window.host.cpus_online, 2);
}

static void what_does_not_fit_is_counted(void **state)
{
	struct fixture *f = *state;
	struct window small;

	assert_int_equal(window_init(&small, 2, 1), 0);
	sched(&f->new, 3, 100, 10);
	sched(&f->new, 5, 100, 10);
	sched(&f->new, 6, 100, 10);
	snapshot_add_pair(&f->new, &(struct pair_counter){3, 5, 1, 0});
	snapshot_add_pair(&f->new, &(struct pair_counter){5, 3, 1, 0});
	snapshot_seal(&f->new);
	snapshot_seal(&f->old);
	window_diff(&f->old, &f->new, &names, &small);
	assert_int_equal(small.n_rows, 2);
	assert_int_equal(small.n_pairs, 1);
	assert_int_equal(small.dropped, 2);
	window_free(&small);
}

/* Nothing is made and nothing vanishes between two snapshots and their rows. */
static void nanoseconds_and_counts_are_conserved(void **state)
{
	struct fixture *f = *state;
	uint64_t ran_ns = 0, wait_ns = 0, waits = 0, preemptions = 0, causes = 0, random = 7;
	uint64_t in_buckets = 0;
	const struct window *window;
	struct sched_counters sum = {};

	for (uint64_t id = 1; id <= 9; id++) {
		struct sched_counters *before = sched(&f->old, id, 10, 10);
		struct sched_counters *after = sched(&f->new, id, 10, 10);

		for (size_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			before->runq[bucket] = (uint32_t)(random >> 60);
			after->runq[bucket] =
				before->runq[bucket] + (uint32_t)(random >> 50 & 0xff);
			waits += random >> 50 & 0xff;
			after->wait_ns += random >> 56;
			wait_ns += random >> 56;
			after->ran_ns += id * 101 * (random >> 58);
			ran_ns += id * 101 * (random >> 58);
		}
		for (uint64_t other = id % 3 + 1; other <= 9; other += 7) {
			snapshot_add_pair(&f->old, &(struct pair_counter){id, other, 3, 0});
			snapshot_add_pair(&f->new,
					  &(struct pair_counter){id, other, 3 + id * other, 0});
			preemptions += id * other;
		}
	}
	window = diff(f);
	for (size_t i = 0; i < window->n_rows; i++) {
		const struct window_row *r = &window->rows[i];

		sum.ran_ns += r->sched.ran_ns;
		sum.wait_ns += r->sched.wait_ns;
		sum.wait_count += r->sched.wait_count;
		for (size_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++)
			in_buckets += r->sched.runq[bucket];
		causes += r->preempted_self + r->preempted_other + r->preempted_system;
	}
	assert_int_equal(sum.ran_ns, ran_ns);
	assert_int_equal(sum.wait_ns, wait_ns);
	assert_int_equal(sum.wait_count, waits);
	assert_int_equal(in_buckets, waits);
	assert_int_equal(causes, preemptions);
	for (size_t i = 0; i < window->n_pairs; i++)
		preemptions -= window->pairs[i].preemptions;
	assert_int_equal(preemptions, 0);
	assert_int_equal(window->dropped, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(causes_of_preemption_are_told_apart_by_container),
		TEST(a_folded_aggressor_is_system_to_its_victim),
		TEST(a_pair_that_went_back_is_left_out),
		TEST(host_times_never_go_negative),
		TEST(what_does_not_fit_is_counted),
		TEST(nanoseconds_and_counts_are_conserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
