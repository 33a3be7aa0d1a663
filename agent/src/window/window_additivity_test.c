#include "window/window_fixture.h"

#include <string.h>

/* Trees, names, pairs and parts drawn from a seed, against the rules worked out a second time. */

#define MAX_CGROUPS ((size_t)40)
#define MAX_PAIRS   (MAX_CGROUPS * (MAX_CGROUPS + 1))
#define FOLD_AT	    MAX_CGROUPS /* where the expected figures of the fold row are */

struct forest {
	uint64_t random;
	size_t n;
	struct {
		uint64_t parent_id; /* ids are positions + 1 */
		uint64_t container_id;
		bool is_container, has_name;
	} cgroups[MAX_CGROUPS];
};

struct split {
	uint64_t wait_ns, self_ns, neighbor_ns, system_ns, unattributed_ns, max_ns;
};

static uint64_t draw(struct forest *forest, uint64_t below)
{
	forest->random = forest->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (forest->random >> 33) % below;
}

static bool forest_find(const void *table, uint64_t cgroup_id, struct cgroup_name *ret_name)
{
	const struct forest *forest = table;

	if (cgroup_id == 0 || cgroup_id > forest->n || !forest->cgroups[cgroup_id - 1].has_name)
		return false;
	*ret_name = (struct cgroup_name){forest->cgroups[cgroup_id - 1].container_id,
					 forest->cgroups[cgroup_id - 1].is_container, "/"};
	return true;
}

static bool forest_parent(const void *table, uint64_t cgroup_id, uint64_t *ret_parent_id)
{
	const struct forest *forest = table;

	if (cgroup_id == 0 || cgroup_id > forest->n ||
	    forest->cgroups[cgroup_id - 1].parent_id == 0)
		return false;
	*ret_parent_id = forest->cgroups[cgroup_id - 1].parent_id;
	return true;
}

static void plant(struct forest *forest)
{
	forest->n = 2 + draw(forest, MAX_CGROUPS - 1);
	for (size_t i = 0; i < forest->n; i++) {
		const size_t above = i == 0 ? 0 : draw(forest, i + 1); /* a parent's id, 0 = none */

		forest->cgroups[i].parent_id = above;
		forest->cgroups[i].has_name = draw(forest, 8) != 0;
		forest->cgroups[i].is_container = draw(forest, 2) == 0;
		forest->cgroups[i].container_id = 1000 + i;
		if (above == 0 || !forest->cgroups[above - 1].is_container)
			continue;
		forest->cgroups[i].is_container = true;
		forest->cgroups[i].container_id = forest->cgroups[above - 1].container_id;
	}
}

/* The row's place in the expected figures, by the rules as they are written, not as they are coded. */
static size_t place_of(const struct forest *forest, size_t cgroup, uint64_t busy_ns)
{
	if (!forest->cgroups[cgroup].has_name)
		return FOLD_AT;
	if (!forest->cgroups[cgroup].is_container && busy_ns < MS)
		return FOLD_AT;
	return forest->cgroups[cgroup].container_id - 1000;
}

struct trial {
	struct forest forest;
	struct snapshot old, new;
	struct window window;
	uint64_t busy_ns[MAX_CGROUPS];
	struct split expected[MAX_CGROUPS + 1];
	uint64_t pair_ns[MAX_CGROUPS + 1][MAX_CGROUPS + 1];
};

/* Most system cgroups do a little, so that the fold row has company. */
static uint64_t draw_ns(struct forest *forest)
{
	return draw(forest, 3) == 0 ? draw(forest, 90 * MS) : draw(forest, 20000);
}

static void fill_records(struct trial *trial, uint64_t (*pairs)[MAX_CGROUPS + 1])
{
	struct forest *forest = &trial->forest;

	for (size_t i = 0; i < forest->n; i++) {
		const uint64_t parts[] = {draw_ns(forest), draw_ns(forest), draw_ns(forest),
					  draw(forest, 1000)};
		struct sched_counters *before = sched(&trial->old, i + 1, 7, 0);
		struct sched_counters *after = sched(&trial->new, i + 1, 7, 0);
		uint64_t wait_ns = parts[0] + parts[1] + parts[2] + parts[3];

		before->wait_ns = draw(forest, MS);
		for (size_t runner = 0; runner <= forest->n; runner++)
			wait_ns += pairs[i][runner];
		*after = *before;
		after->throttled_own_wait_ns = parts[0];
		after->throttled_ancestor_wait_ns = parts[1];
		after->idle_gap_wait_ns = parts[2];
		after->unattributed_wait_ns = parts[3];
		after->max_wait_ns = draw(forest, 100 * MS);
		after->wait_ns += wait_ns;
		trial->busy_ns[i] = wait_ns;
	}
}

static void expect(struct trial *trial, uint64_t (*pairs)[MAX_CGROUPS + 1])
{
	const struct forest *forest = &trial->forest;

	for (size_t i = 0; i < forest->n; i++) {
		const size_t victim = place_of(forest, i, trial->busy_ns[i]);
		struct split *row = &trial->expected[victim];
		const struct sched_counters *after = &snapshot_find(&trial->new, i + 1)->sched;

		row->wait_ns += trial->busy_ns[i];
		row->unattributed_ns += after->unattributed_wait_ns;
		if (after->max_wait_ns > row->max_ns)
			row->max_ns = after->max_wait_ns;
		row->unattributed_ns += pairs[i][forest->n]; /* runner 0 */
		for (size_t runner = 0; runner < forest->n; runner++) {
			const size_t aggressor = place_of(forest, runner, trial->busy_ns[runner]);

			if (!forest->cgroups[runner].has_name && runner != i) {
				row->unattributed_ns += pairs[i][runner];
				continue;
			}
			trial->pair_ns[victim][aggressor] += pairs[i][runner];
			if (victim == aggressor)
				row->self_ns += pairs[i][runner];
			else if (aggressor != FOLD_AT && forest->cgroups[aggressor].is_container)
				row->neighbor_ns += pairs[i][runner];
			else
				row->system_ns += pairs[i][runner];
		}
	}
}

static void make_trial(struct trial *trial, uint64_t seed)
{
	uint64_t pairs[MAX_CGROUPS][MAX_CGROUPS + 1] = {};
	struct forest *forest = &trial->forest;

	memset(trial->expected, 0, sizeof(trial->expected));
	memset(trial->pair_ns, 0, sizeof(trial->pair_ns));
	forest->random = seed;
	plant(forest);
	snapshot_reset(&trial->old, 0);
	snapshot_reset(&trial->new, 10000 * MS);
	for (size_t i = 0; i < forest->n; i++) {
		for (size_t runner = 0; runner <= forest->n; runner++) {
			const uint64_t runner_id = runner == forest->n ? 0 : runner + 1;
			const uint64_t before = draw(forest, MS);

			if (draw(forest, 3) != 0)
				continue;
			pairs[i][runner] = draw_ns(forest);
			snapshot_add_pair(&trial->old,
					  &(struct pair_counter){i + 1, runner_id, 1, before});
			snapshot_add_pair(&trial->new,
					  &(struct pair_counter){i + 1, runner_id, 2,
								 before + pairs[i][runner]});
		}
	}
	fill_records(trial, pairs);
	expect(trial, pairs);
}

static uint64_t sum_of_parts(const struct window_row *r)
{
	return r->self_wait_ns + r->neighbor_wait_ns + r->system_wait_ns +
	       r->sched.throttled_own_wait_ns + r->sched.throttled_ancestor_wait_ns +
	       r->sched.idle_gap_wait_ns + r->sched.unattributed_wait_ns;
}

static const struct window *diff_trial(struct trial *trial)
{
	const struct window_names forest_names = {forest_find, forest_parent, &trial->forest,
						  1000 + FOLD_AT};

	snapshot_seal(&trial->old);
	snapshot_seal(&trial->new);
	window_diff(&trial->old, &trial->new, &forest_names, &trial->window);
	assert_int_equal(trial->window.dropped, 0);
	return &trial->window;
}

static void check_trial(struct trial *trial)
{
	const struct window *window = diff_trial(trial);

	for (size_t i = 0; i < window->n_rows; i++) {
		const struct window_row *r = &window->rows[i];
		const struct split *want = &trial->expected[r->container_id - 1000];

		assert_int_equal(sum_of_parts(r), r->sched.wait_ns);
		assert_int_equal(r->sched.wait_ns, want->wait_ns);
		assert_int_equal(r->self_wait_ns, want->self_ns);
		assert_int_equal(r->neighbor_wait_ns, want->neighbor_ns);
		assert_int_equal(r->system_wait_ns, want->system_ns);
		assert_int_equal(r->sched.unattributed_wait_ns, want->unattributed_ns);
		assert_int_equal(r->sched.max_wait_ns, want->max_ns);
	}
	for (size_t victim = 0; victim <= MAX_CGROUPS; victim++)
		for (size_t aggressor = 0; aggressor <= MAX_CGROUPS; aggressor++)
			assert_int_equal(pair_wait(window, 1000 + victim, 1000 + aggressor),
					 trial->pair_ns[victim][aggressor]);
}

/* Skew of either sign in every record: only additivity and signs are left to check. */
static void check_skewed_trial(struct trial *trial)
{
	const struct window *window;

	for (size_t i = 0; i < trial->new.n_cgroups; i++) {
		struct sched_counters *counters = &trial->new.cgroups[i].sched;
		const uint64_t skew_ns = draw(&trial->forest, 2 * MS);

		if (draw(&trial->forest, 2) == 0)
			counters->wait_ns += skew_ns;
		else if (counters->wait_ns >= skew_ns)
			counters->wait_ns -= skew_ns;
	}
	window = diff_trial(trial);
	for (size_t i = 0; i < window->n_rows; i++) {
		const struct window_row *r = &window->rows[i];
		uint64_t of_pairs = 0;

		assert_int_equal(sum_of_parts(r), r->sched.wait_ns);
		assert_true(r->sched.unattributed_wait_ns <= r->sched.wait_ns);
		for (size_t p = 0; p < window->n_pairs; p++)
			if (window->pairs[p].victim_id == r->container_id)
				of_pairs += window->pairs[p].wait_ns;
		assert_int_equal(of_pairs,
				 r->self_wait_ns + r->neighbor_wait_ns + r->system_wait_ns);
	}
}

static void the_split_is_exact_on_any_tree(void **state)
{
	static struct trial trial;

	(void)state;
	assert_int_equal(snapshot_init(&trial.old, MAX_CGROUPS, MAX_PAIRS), 0);
	assert_int_equal(snapshot_init(&trial.new, MAX_CGROUPS, MAX_PAIRS), 0);
	assert_int_equal(window_init(&trial.window, MAX_CGROUPS, MAX_PAIRS), 0);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		make_trial(&trial, seed);
		check_trial(&trial);
		check_skewed_trial(&trial);
	}
	snapshot_free(&trial.old);
	snapshot_free(&trial.new);
	window_free(&trial.window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_split_is_exact_on_any_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
