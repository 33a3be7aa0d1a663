#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window/window.h"

static void six_windows_cost_one_row_per_pair(void **state)
{
	struct window_pair pairs[] = {{1, 2, 10, 500}, {2, 1, 3, 0}, {1, 1, 7, 20}};
	struct pair_merge merge;

	(void)state;
	assert_int_equal(pair_merge_init(&merge, 8), 0);
	for (int i = 0; i < 6; i++) {
		const struct window window = {.started_at_unix_ns = 100 + i * 10,
					      .duration_ns = 10,
					      .pairs = pairs,
					      .n_pairs = i == 5 ? 1 : 3};

		pair_merge_add(&merge, &window);
	}
	assert_int_equal(merge.n_windows, 6);
	assert_int_equal(merge.started_at_unix_ns, 100);
	assert_int_equal(merge.duration_ns, 60);
	assert_int_equal(merge.n_pairs, 3);
	assert_int_equal(merge.pairs[0].preemptions, 60);
	assert_int_equal(merge.pairs[1].preemptions, 15);
	assert_int_equal(merge.pairs[2].preemptions, 35);
	assert_int_equal(merge.pairs[0].wait_ns, 3000);
	assert_int_equal(merge.pairs[1].wait_ns, 0);
	assert_int_equal(merge.pairs[2].wait_ns, 100);
	pair_merge_free(&merge);
}

static void a_full_merge_counts_what_it_drops_and_keeps_adding_to_the_known(void **state)
{
	struct window_pair pairs[] = {{1, 2, 1, 0}, {1, 3, 1, 0}, {1, 4, 1, 0}};
	const struct window window = {.started_at_unix_ns = 7, .pairs = pairs, .n_pairs = 3};
	struct pair_merge merge;

	(void)state;
	assert_int_equal(pair_merge_init(&merge, 2), 0);
	pair_merge_add(&merge, &window);
	pair_merge_add(&merge, &window);
	assert_int_equal(merge.n_pairs, 2);
	assert_int_equal(merge.pairs[1].preemptions, 2);
	assert_int_equal(merge.dropped, 2);
	pair_merge_free(&merge);
}

static void reset_begins_a_new_span(void **state)
{
	struct window_pair pairs[] = {{1, 2, 1, 0}};
	struct window window = {
		.started_at_unix_ns = 7, .duration_ns = 5, .pairs = pairs, .n_pairs = 1};
	struct pair_merge merge;

	(void)state;
	assert_int_equal(pair_merge_init(&merge, 1), 0);
	pair_merge_add(&merge, &window);
	pair_merge_reset(&merge);
	pairs[0].victim_id = 9;
	window.started_at_unix_ns = 12;
	pair_merge_add(&merge, &window);
	assert_int_equal(merge.started_at_unix_ns, 12);
	assert_int_equal(merge.duration_ns, 5);
	assert_int_equal(merge.n_pairs, 1);
	assert_int_equal(merge.pairs[0].victim_id, 9);
	assert_int_equal(merge.dropped, 0);
	pair_merge_free(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_windows_cost_one_row_per_pair),
		cmocka_unit_test(a_full_merge_counts_what_it_drops_and_keeps_adding_to_the_known),
		cmocka_unit_test(reset_begins_a_new_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
