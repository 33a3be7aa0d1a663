#pragma once

/* What the tests of window_diff share: a small tree of cgroups and two snapshots of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static inline bool find(const void *table, uint64_t cgroup_id, struct cgroup_name *ret_name)
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

static inline bool parent(const void *table, uint64_t cgroup_id, uint64_t *ret_parent_id)
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

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;

	snapshot_free(&fixture->old);
	snapshot_free(&fixture->new);
	window_free(&fixture->window);
	return 0;
}

static inline struct window *diff(struct fixture *fixture)
{
	snapshot_seal(&fixture->old);
	snapshot_seal(&fixture->new);
	window_diff(&fixture->old, &fixture->new, &names, &fixture->window);
	return &fixture->window;
}

static inline struct sched_counters *sched(struct snapshot *snapshot, uint64_t id, uint64_t ran_ms,
					   uint64_t wait_ms)
{
	struct cgroup_counters *row = snapshot_cgroup(snapshot, id);

	assert_non_null(row);
	row->has |= CGROUP_HAS_SCHED;
	row->sched.ran_ns = ran_ms * MS;
	row->sched.wait_ns = wait_ms * MS;
	return &row->sched;
}

static inline struct cpu_counters *cpu(struct snapshot *snapshot, uint64_t id, uint64_t usage_ms,
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

static inline const struct window_row *row(const struct window *window, uint64_t container_id)
{
	for (size_t i = 0; i < window->n_rows; i++)
		if (window->rows[i].container_id == container_id)
			return &window->rows[i];
	return NULL;
}

static inline uint64_t pair(const struct window *window, uint64_t victim_id, uint64_t aggressor_id)
{
	for (size_t i = 0; i < window->n_pairs; i++)
		if (window->pairs[i].victim_id == victim_id &&
		    window->pairs[i].aggressor_id == aggressor_id)
			return window->pairs[i].preemptions;
	return 0;
}

static inline uint64_t pair_wait(const struct window *window, uint64_t victim_id,
				 uint64_t aggressor_id)
{
	const size_t at = id_index_find(&window->pair_index, victim_id, aggressor_id);

	return at == SIZE_MAX ? 0 : window->pairs[at].wait_ns;
}
