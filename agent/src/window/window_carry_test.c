#include "window/window_fixture.h"

/* Reads in the middle of a window: its seconds add up to it, whoever died in one of them. */
struct seconds {
	struct fixture *fixture; /* old = base, new = end */
	struct snapshot middle;
	struct window first, second;
};

static int set_up_seconds(void **state)
{
	static struct seconds seconds;

	if (set_up(state) < 0)
		return -1;
	seconds.fixture = *state;
	assert_int_equal(snapshot_init(&seconds.middle, 16, 16), 0);
	assert_int_equal(window_init(&seconds.first, 16, 16), 0);
	assert_int_equal(window_init(&seconds.second, 16, 16), 0);
	snapshot_reset(&seconds.middle, 4000 * MS);
	*state = &seconds;
	return 0;
}

static int tear_down_seconds(void **state)
{
	struct seconds *seconds = *state;
	void *fixture = seconds->fixture;

	snapshot_free(&seconds->middle);
	window_free(&seconds->first);
	window_free(&seconds->second);
	return tear_down(&fixture);
}

static void add(struct snapshot *snapshot, uint64_t waiter, uint64_t runner, uint64_t wait_ms)
{
	const struct pair_counter counter = {waiter, runner, 1, wait_ms * MS};

	assert_int_equal(snapshot_add_pair(snapshot, &counter), 0);
}

static struct window *tell(struct seconds *seconds)
{
	struct fixture *fixture = seconds->fixture;

	snapshot_seal(&fixture->old);
	snapshot_seal(&seconds->middle);
	snapshot_seal(&fixture->new);
	window_diff(&fixture->old, &seconds->middle, &names, &seconds->first);
	window_diff(&seconds->middle, &fixture->new, &names, &seconds->second);
	snapshot_carry(&fixture->new, &seconds->middle, &fixture->old);
	window_diff(&fixture->old, &fixture->new, &names, &fixture->window);
	return &fixture->window;
}

static void seconds_add_up_to_their_window(void **state)
{
	struct seconds *seconds = *state;
	const struct window *window;

	sched(&seconds->fixture->old, 3, 100, 10);
	sched(&seconds->middle, 3, 150, 30);
	sched(&seconds->fixture->new, 3, 170, 70);
	add(&seconds->fixture->old, 3, 5, 10);
	add(&seconds->middle, 3, 5, 30);
	add(&seconds->fixture->new, 3, 5, 70);
	window = tell(seconds);
	assert_int_equal(row(&seconds->first, 200)->neighbor_wait_ns, 20 * MS);
	assert_int_equal(row(&seconds->second, 200)->neighbor_wait_ns, 40 * MS);
	assert_int_equal(row(window, 200)->neighbor_wait_ns, 60 * MS);
	assert_int_equal(row(window, 200)->sched.ran_ns, 70 * MS);
	assert_int_equal(row(window, 200)->sched.unattributed_wait_ns, 0);
}

static void who_died_in_a_second_is_in_the_window(void **state)
{
	struct seconds *seconds = *state;
	const struct window *window;

	/* 5 ran while 3 waited, told its last figures in the first second, and was gone. */
	sched(&seconds->fixture->old, 3, 100, 10);
	sched(&seconds->middle, 3, 150, 40);
	sched(&seconds->fixture->new, 3, 170, 40);
	sched(&seconds->middle, 5, 30, 0);
	add(&seconds->middle, 3, 5, 30);
	window = tell(seconds);
	assert_null(row(&seconds->second, 300));
	assert_int_equal(row(window, 300)->sched.ran_ns, 30 * MS);
	assert_int_equal(row(window, 200)->neighbor_wait_ns, 30 * MS);
	assert_int_equal(row(window, 200)->sched.unattributed_wait_ns, 0);
}

static void longest_wait_of_a_window_is_that_of_its_seconds(void **state)
{
	struct seconds *seconds = *state;
	const struct window *window;

	sched(&seconds->fixture->old, 3, 0, 0)->max_wait_ns = 900 * MS; /* of the window before */
	sched(&seconds->middle, 3, 0, 500)->max_wait_ns = 400 * MS;
	sched(&seconds->fixture->new, 3, 0, 600)->max_wait_ns = 100 * MS;
	window = tell(seconds);
	assert_int_equal(row(&seconds->first, 200)->sched.max_wait_ns, 400 * MS);
	assert_int_equal(row(&seconds->second, 200)->sched.max_wait_ns, 100 * MS);
	assert_int_equal(row(window, 200)->sched.max_wait_ns, 400 * MS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_seconds, tear_down_seconds)
	const struct CMUnitTest tests[] = {
		TEST(seconds_add_up_to_their_window),
		TEST(who_died_in_a_second_is_in_the_window),
		TEST(longest_wait_of_a_window_is_that_of_its_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
