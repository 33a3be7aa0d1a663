#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window/snapshot.h"

static void a_cgroup_has_one_row(void **state)
{
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(snapshot_init(&snapshot, 100, 1), 0);
	snapshot_reset(&snapshot, 5);
	for (int round = 0; round < 2; round++)
		for (uint64_t id = 0; id < 100; id++)
			snapshot_cgroup(&snapshot, id * 4096)->sched.ran_ns += id;
	assert_int_equal(snapshot.n_cgroups, 100);
	assert_int_equal(snapshot.dropped, 0);
	assert_int_equal(snapshot_find(&snapshot, UINT64_C(99) * 4096)->sched.ran_ns, 198);
	snapshot_free(&snapshot);
}

static void what_does_not_fit_is_counted_and_the_rest_stays_findable(void **state)
{
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(snapshot_init(&snapshot, 3, 2), 0);
	snapshot_reset(&snapshot, 5);
	for (uint64_t id = 1; id <= 5; id++)
		assert_int_equal(snapshot_cgroup(&snapshot, id) != NULL, id <= 3);
	assert_non_null(snapshot_cgroup(&snapshot, 2));
	assert_int_equal(snapshot_add_pair(&snapshot, &(struct pair_counter){1, 2, 1, 0}), 0);
	assert_int_equal(snapshot_add_pair(&snapshot, &(struct pair_counter){2, 1, 1, 0}), 0);
	assert_int_equal(snapshot_add_pair(&snapshot, &(struct pair_counter){3, 1, 1, 0}), -ENOSPC);
	assert_int_equal(snapshot_add_pair(&snapshot, &(struct pair_counter){1, 2, 4, 0}), 0);
	assert_int_equal(snapshot.dropped, 3);
	assert_int_equal(snapshot_find_pair(&snapshot, 1, 2)->preemptions, 5);
	assert_null(snapshot_find_pair(&snapshot, 3, 1));
	snapshot_free(&snapshot);
}

static void a_sealed_snapshot_is_sorted_and_still_findable(void **state)
{
	static const uint64_t ids[] = {900, 3, 77, 1, 65536};
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(snapshot_init(&snapshot, 8, 8), 0);
	snapshot_reset(&snapshot, 5);
	for (size_t i = 0; i < 5; i++) {
		snapshot_cgroup(&snapshot, ids[i])->sched.ran_ns = ids[i] + 1;
		snapshot_add_pair(&snapshot, &(struct pair_counter){1, ids[i], ids[i], 0});
	}
	snapshot_seal(&snapshot);
	for (size_t i = 1; i < 5; i++) {
		assert_true(snapshot.cgroups[i - 1].cgroup_id < snapshot.cgroups[i].cgroup_id);
		assert_true(snapshot.pairs[i - 1].runner_cgroup_id <
			    snapshot.pairs[i].runner_cgroup_id);
	}
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(snapshot_find(&snapshot, ids[i])->sched.ran_ns, ids[i] + 1);
		assert_int_equal(snapshot_find_pair(&snapshot, 1, ids[i])->preemptions, ids[i]);
	}
	snapshot_free(&snapshot);
}

static void reset_forgets_all(void **state)
{
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(snapshot_init(&snapshot, 1, 1), 0);
	snapshot_reset(&snapshot, 5);
	snapshot_cgroup(&snapshot, 1)->sched.ran_ns = 9;
	snapshot_cgroup(&snapshot, 2);
	snapshot_reset(&snapshot, 6);
	assert_int_equal(snapshot.dropped, 0);
	assert_null(snapshot_find(&snapshot, 1));
	assert_int_equal(snapshot_cgroup(&snapshot, 1)->sched.ran_ns, 0);
	snapshot_free(&snapshot);
}

/* Two reads of one window: the dead, and the longest wait, are told by the first one only. */
static void carry_keeps_what_only_the_earlier_read_told(void **state)
{
	struct snapshot base, earlier, later;
	const struct pair_counter settled = {3, 1, 6, 60};
	const struct pair_counter gone = {1, 3, 5, 50}, grown = {1, 2, 8, 80};
	const struct pair_counter before = {1, 2, 4, 40};

	(void)state;
	assert_int_equal(snapshot_init(&base, 4, 4), 0);
	assert_int_equal(snapshot_init(&earlier, 4, 4), 0);
	assert_int_equal(snapshot_init(&later, 4, 4), 0);
	*snapshot_cgroup(&base, 2) =
		(struct cgroup_counters){.cgroup_id = 2, .sched = {.ran_ns = 20}};
	*snapshot_cgroup(&base, 3) =
		(struct cgroup_counters){.cgroup_id = 3, .sched = {.ran_ns = 29}};
	*snapshot_cgroup(&earlier, 2) = *snapshot_cgroup(&base, 2); /* dead since before */
	assert_int_equal(snapshot_add_pair(&base, &settled), 0);
	assert_int_equal(snapshot_add_pair(&earlier, &settled), 0);
	snapshot_seal(&base);
	*snapshot_cgroup(&earlier, 1) = (struct cgroup_counters){
		.cgroup_id = 1,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 10, .max_wait_ns = 700},
	};
	*snapshot_cgroup(&earlier, 3) = (struct cgroup_counters){
		.cgroup_id = 3,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 30, .max_wait_ns = 2},
	};
	*snapshot_cgroup(&earlier, 4) = (struct cgroup_counters){
		.cgroup_id = 4,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 40},
	};
	*snapshot_cgroup(&later, 1) = (struct cgroup_counters){
		.cgroup_id = 1,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 20, .max_wait_ns = 5},
	};
	*snapshot_cgroup(&later, 4) = (struct cgroup_counters){
		.cgroup_id = 4,
		.has = CGROUP_HAS_USAGE,
		.cpu = {.usage_ns = 7},
	};
	assert_int_equal(snapshot_add_pair(&earlier, &before), 0);
	assert_int_equal(snapshot_add_pair(&earlier, &gone), 0);
	assert_int_equal(snapshot_add_pair(&later, &grown), 0);
	snapshot_seal(&earlier);
	snapshot_seal(&later);
	snapshot_carry(&later, &earlier, &base);
	assert_int_equal(later.n_cgroups, 3);
	assert_int_equal(snapshot_find(&later, 1)->sched.ran_ns, 20);
	assert_int_equal(snapshot_find(&later, 1)->sched.max_wait_ns, 700);
	assert_int_equal(snapshot_find(&later, 3)->sched.ran_ns, 30);
	assert_int_equal(snapshot_find(&later, 4)->sched.ran_ns, 40);
	assert_int_equal(snapshot_find(&later, 4)->cpu.usage_ns, 7);
	assert_int_equal(snapshot_find(&later, 4)->has, CGROUP_HAS_SCHED | CGROUP_HAS_USAGE);
	assert_int_equal(later.n_pairs, 2);
	assert_int_equal(snapshot_find_pair(&later, 1, 2)->wait_ns, 80);
	assert_int_equal(snapshot_find_pair(&later, 1, 3)->wait_ns, 50);
	assert_int_equal(later.dropped, 0);
	assert_null(snapshot_find(&later, 2));
	snapshot_free(&base);
	snapshot_free(&earlier);
	snapshot_free(&later);
}

static void a_forgotten_snapshot_is_empty_and_of_use_again(void **state)
{
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(snapshot_init(&snapshot, 1000, 1000), 0);
	for (int round = 0; round < 2; round++) {
		snapshot_reset(&snapshot, 5);
		for (uint64_t id = 1; id <= 1000; id++) {
			assert_int_equal(snapshot_cgroup(&snapshot, id)->sched.ran_ns, 0);
			snapshot_cgroup(&snapshot, id)->sched.ran_ns = id;
			snapshot_add_pair(&snapshot, &(struct pair_counter){id, 1, 1, id});
		}
		snapshot_seal(&snapshot);
		assert_int_equal(snapshot_find(&snapshot, 777)->sched.ran_ns, 777);
		assert_int_equal(snapshot_find_pair(&snapshot, 777, 1)->wait_ns, 777);
		snapshot_forget(&snapshot);
		assert_null(snapshot_find(&snapshot, 777));
		assert_null(snapshot_find_pair(&snapshot, 777, 1));
	}
	snapshot_free(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_has_one_row),
		cmocka_unit_test(what_does_not_fit_is_counted_and_the_rest_stays_findable),
		cmocka_unit_test(a_sealed_snapshot_is_sorted_and_still_findable),
		cmocka_unit_test(reset_forgets_all),
		cmocka_unit_test(a_forgotten_snapshot_is_empty_and_of_use_again),
		cmocka_unit_test(carry_keeps_what_only_the_earlier_read_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
