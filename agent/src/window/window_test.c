#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "window/window.h"

#define MS   UINT64_C(1000000)
#define FOLD UINT64_C(0xf01d)

/*
 * The tree that all tests share:
 *
 *	1 /                        system 100
 *	2 /pods                    system 101, quota in some tests
 *	3 /pods/alpha              container 200
 *	4 /pods/alpha/nested       container 200
 *	5 /pods/beta               container 300
 *	6 /kubelet.service         system 102
 *	7 /quiet.service           system 103
 *	8 /silent.service          system 104
 *	9                          nobody has named it
 */
static const struct {
	uint64_t id, parent_id, container_id;
	bool is_container;
	const char *path;
} tree[] = {
	{1, 0, 100, false, "/"},
	{2, 1, 101, false, "/pods"},
	{3, 2, 200, true, "/pods/alpha"},
	{4, 3, 200, true, "/pods/alpha/nested"},
	{5, 2, 300, true, "/pods/beta"},
	{6, 1, 102, false, "/kubelet.service"},
	{7, 1, 103, false, "/quiet.service"},
	{8, 1, 104, false, "/silent.service"},
};

static bool find(const void *table, uint64_t cgroup_id, struct cgroup_name *ret_name)
{
	(void)table;
	for (size_t i = 0; i < sizeof(tree) / sizeof(tree[0]); i++) {
		if (tree[i].id != cgroup_id)
			continue;
		*ret_name = (struct cgroup_name){tree[i].container_id, tree[i].is_container,
						 tree[i].path};
		return true;
	}
	return false;
}

static bool parent(const void *table, uint64_t cgroup_id, uint64_t *ret_parent_id)
{
	(void)table;
	for (size_t i = 0; i < sizeof(tree) / sizeof(tree[0]); i++) {
		if (tree[i].id != cgroup_id || tree[i].parent_id == 0)
			continue;
		*ret_parent_id = tree[i].parent_id;
		return true;
	}
	return false;
}

static const struct window_names names = {find, parent, NULL, FOLD};

struct fixture {
	struct snapshot old, new;
	struct window window;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	assert_int_equal(snapshot_init(&fixture.old, 16, 16), 0);
	assert_int_equal(snapshot_init(&fixture.new, 16, 16), 0);
	assert_int_equal(window_init(&fixture.window, 16, 16), 0);
	snapshot_reset(&fixture.old, 0);
	snapshot_reset(&fixture.new, 10000 * MS);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	snapshot_free(&fixture->old);
	snapshot_free(&fixture->new);
	window_free(&fixture->window);
	return 0;
}

static struct window *diff(struct fixture *fixture)
{
	snapshot_seal(&fixture->old);
	snapshot_seal(&fixture->new);
	window_diff(&fixture->old, &fixture->new, &names, &fixture->window);
	return &fixture->window;
}

static struct sched_counters *sched(struct snapshot *snapshot, uint64_t id, uint64_t ran_ms,
				    uint64_t wait_ms)
{
	struct cgroup_counters *row = snapshot_cgroup(snapshot, id);

	assert_non_null(row);
	row->has |= CGROUP_HAS_SCHED;
	row->sched.ran_ns = ran_ms * MS;
	row->sched.wait_ns = wait_ms * MS;
	return &row->sched;
}

static struct cpu_counters *cpu(struct snapshot *snapshot, uint64_t id, uint64_t usage_ms,
				uint64_t nr_periods, uint64_t nr_throttled)
{
	struct cgroup_counters *row = snapshot_cgroup(snapshot, id);

	assert_non_null(row);
	row->has |= CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH;
	row->cpu.usage_ns = usage_ms * MS;
	row->cpu.nr_periods = nr_periods;
	row->cpu.nr_throttled = nr_throttled;
	return &row->cpu;
}

static const struct window_row *row(const struct window *window, uint64_t container_id)
{
	for (size_t i = 0; i < window->n_rows; i++)
		if (window->rows[i].container_id == container_id)
			return &window->rows[i];
	return NULL;
}

static uint64_t pair(const struct window *window, uint64_t victim_id, uint64_t aggressor_id)
{
	for (size_t i = 0; i < window->n_pairs; i++)
		if (window->pairs[i].victim_id == victim_id &&
		    window->pairs[i].aggressor_id == aggressor_id)
			return window->pairs[i].preemptions;
	return 0;
}

static void a_row_is_new_minus_old(void **state)
{
	struct fixture *f = *state;
	struct sched_counters *before = sched(&f->old, 5, 1000, 50);
	struct sched_counters *after = sched(&f->new, 5, 1700, 91);
	const struct window_row *beta;

	*before = (struct sched_counters){.ran_ns = before->ran_ns,
					  .wait_ns = before->wait_ns,
					  .wait_count = 7,
					  .migrated_wait_ns = 3,
					  .throttled_out = 2,
					  .runq = {[4] = 5, [95] = 2}};
	after->wait_count = 20;
	after->migrated_wait_ns = 14;
	after->throttled_out = 5;
	after->runq[4] = 16;
	after->runq[95] = 4;
	beta = row(diff(f), 300);

	assert_non_null(beta);
	assert_true(beta->is_container);
	assert_int_equal(beta->has, CGROUP_HAS_SCHED);
	assert_int_equal(beta->sched.ran_ns, 700 * MS);
	assert_int_equal(beta->sched.wait_ns, 41 * MS);
	assert_int_equal(beta->sched.wait_count, 13);
	assert_int_equal(beta->sched.migrated_wait_ns, 11);
	assert_int_equal(beta->sched.throttled_out, 3);
	assert_int_equal(beta->sched.runq[4], 11);
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
	assert_int_equal(snapshot_add_preemptions(&f->new, 5, 9, 4), 0);
	window = diff(f);
	assert_int_equal(row(window, FOLD)->sched.ran_ns, 300 * MS);
	assert_int_equal(pair(window, 300, FOLD), 4);
	assert_int_equal(row(window, 300)->preempted_system, 4);
}

static void causes_of_preemption_are_told_apart_by_container(void **state)
{
	struct fixture *f = *state;
	const struct window *window;
	static const uint64_t ids[] = {3, 4, 5, 6};

	for (size_t i = 0; i < 4; i++)
		sched(&f->new, ids[i], 100, 10);
	snapshot_add_preemptions(&f->old, 3, 5, 10);
	snapshot_add_preemptions(&f->new, 3, 5, 17); /* other: 7 */
	snapshot_add_preemptions(&f->new, 4, 5, 5);  /* other, the same container: 5 */
	snapshot_add_preemptions(&f->new, 3, 4, 3);  /* self, over two cgroups */
	snapshot_add_preemptions(&f->new, 3, 3, 2);  /* self */
	snapshot_add_preemptions(&f->new, 4, 6, 11); /* system */
	snapshot_add_preemptions(&f->new, 6, 3, 13);
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
	snapshot_add_preemptions(&f->new, 5, 7, 3);
	snapshot_add_preemptions(&f->new, 5, 8, 4);
	snapshot_add_preemptions(&f->new, 7, 8, 1);
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
	snapshot_add_preemptions(&f->old, 3, 5, 10);
	snapshot_add_preemptions(&f->new, 3, 5, 9);
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
	snapshot_add_preemptions(&f->new, 3, 5, 1);
	snapshot_add_preemptions(&f->new, 5, 3, 1);
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
	const struct window *window;
	struct sched_counters sum = {};

	for (uint64_t id = 1; id <= 9; id++) {
		struct sched_counters *before = sched(&f->old, id, 10, 10);
		struct sched_counters *after = sched(&f->new, id, 10, 10);

		for (size_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			before->runq[bucket] = random >> 60;
			after->runq[bucket] = before->runq[bucket] + (random >> 50 & 0xff);
			waits += random >> 50 & 0xff;
			after->wait_ns += random >> 56;
			wait_ns += random >> 56;
			after->ran_ns += id * 101 * (random >> 58);
			ran_ns += id * 101 * (random >> 58);
		}
		for (uint64_t other = id % 3 + 1; other <= 9; other += 7) {
			snapshot_add_preemptions(&f->old, id, other, 3);
			snapshot_add_preemptions(&f->new, id, other, 3 + id * other);
			preemptions += id * other;
		}
	}
	window = diff(f);
	for (size_t i = 0; i < window->n_rows; i++) {
		const struct window_row *r = &window->rows[i];

		sum.ran_ns += r->sched.ran_ns;
		sum.wait_ns += r->sched.wait_ns;
		for (size_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++)
			sum.wait_count += r->sched.runq[bucket];
		causes += r->preempted_self + r->preempted_other + r->preempted_system;
	}
	assert_int_equal(sum.ran_ns, ran_ns);
	assert_int_equal(sum.wait_ns, wait_ns);
	assert_int_equal(sum.wait_count, waits);
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
		TEST(causes_of_preemption_are_told_apart_by_container),
		TEST(a_folded_aggressor_is_system_to_its_victim),
		TEST(a_pair_that_went_back_is_left_out),
		TEST(host_times_never_go_negative),
		TEST(what_does_not_fit_is_counted),
		TEST(nanoseconds_and_counts_are_conserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
