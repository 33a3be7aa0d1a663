#include "window/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "window/difference.h"
#include "window/window_private.h"

#define QUIET_BELOW_NS 1000000

_Static_assert(offsetof(struct window_row, container_id) == 0, "the key of row_index");
_Static_assert(offsetof(struct window_pair, victim_id) == 0, "the key of pair_index");
_Static_assert(offsetof(struct window_pair, aggressor_id) == 8, "the key of pair_index");

/* What one cgroup did in the window, before it is known which row that belongs to. */
struct activity {
	struct cgroup_name name;
	bool has_name;
	bool is_topmost; /* nothing of the same container above it */
	uint32_t has;
	struct sched_counters sched;
	struct cpu_counters cpu;
};

int window_init(struct window *self, size_t cap_rows, size_t cap_pairs)
{
	struct window made = {.cap_rows = cap_rows, .cap_pairs = cap_pairs};
	int r;

	made.rows = calloc(cap_rows + 1, sizeof(*made.rows)); /* + 1: the fold row always fits */
	made.pairs = calloc(cap_pairs, sizeof(*made.pairs));
	made.marks = calloc(cap_rows, sizeof(*made.marks));
	r = made.rows && made.pairs && made.marks ? 0 : -ENOMEM;
	if (r == 0)
		r = id_index_init(&made.row_index, cap_rows + 1, made.rows, sizeof(*made.rows),
				  ID_INDEX_ONE_ID);
	if (r == 0)
		r = id_index_init(&made.pair_index, cap_pairs, made.pairs, sizeof(*made.pairs),
				  ID_INDEX_TWO_IDS);
	if (r < 0) {
		window_free(&made);
		return r;
	}
	*self = made;
	return 0;
}

void window_free(struct window *self)
{
	if (!self)
		return;
	free(self->rows);
	free(self->pairs);
	free(self->marks);
	id_index_free(&self->row_index);
	id_index_free(&self->pair_index);
	*self = (struct window){};
}

void window_forget(struct window *self)
{
	pages_forget(self->rows, self->n_rows * sizeof(*self->rows));
	pages_forget(self->pairs, self->n_pairs * sizeof(*self->pairs));
	self->n_rows = 0;
	self->n_pairs = 0;
	id_index_forget(&self->row_index);
	id_index_forget(&self->pair_index);
}

static void mark_parents(const struct differ *self)
{
	for (size_t i = 0; i < self->new->n_cgroups; i++) {
		uint64_t parent_id;
		size_t at;

		if (!self->names->parent(self->names->table, self->new->cgroups[i].cgroup_id,
					 &parent_id))
			continue;
		at = id_index_find(&self->new->cgroup_index, parent_id, 0);
		if (at < self->window->cap_rows)
			self->window->marks[at].has_child = true;
	}
}

static bool is_topmost(const struct window_names *names, uint64_t cgroup_id, uint64_t container_id)
{
	struct cgroup_name above;
	uint64_t parent_id;

	if (!names->parent(names->table, cgroup_id, &parent_id))
		return true;
	return !names->find(names->table, parent_id, &above) || above.container_id != container_id;
}

static void measure(const struct differ *self, size_t at, struct activity *ret)
{
	static const struct sched_counters zero;
	const struct cgroup_counters *new = &self->new->cgroups[at];
	const struct cgroup_counters *old = snapshot_find(self->old, new->cgroup_id);
	const uint32_t both = old ? old->has & new->has : 0;
	const bool has_sched_before = old && old->has & CGROUP_HAS_SCHED;

	*ret = (struct activity){};
	ret->has_name = self->names->find(self->names->table, new->cgroup_id, &ret->name);
	ret->is_topmost =
		ret->has_name && is_topmost(self->names, new->cgroup_id, ret->name.container_id);

	if (new->has & CGROUP_HAS_SCHED &&
	    sched_difference(has_sched_before ? &old->sched : &zero, &new->sched, &ret->sched))
		ret->has |= CGROUP_HAS_SCHED;
	if (!ret->is_topmost)
		return;
	if (both & CGROUP_HAS_USAGE &&
	    (ret->name.is_container || !self->window->marks[at].has_child) &&
	    usage_difference(&old->cpu, &new->cpu, &ret->cpu))
		ret->has |= CGROUP_HAS_USAGE;
	if (both & CGROUP_HAS_BANDWIDTH && bandwidth_difference(&old->cpu, &new->cpu, &ret->cpu))
		ret->has |= CGROUP_HAS_BANDWIDTH;
}

static bool is_folded(const struct activity *activity)
{
	if (!activity->has_name)
		return true;
	if (activity->name.is_container || activity->cpu.nr_throttled > 0)
		return false;
	if (activity->has & CGROUP_HAS_SCHED)
		return activity->sched.ran_ns + activity->sched.wait_ns < QUIET_BELOW_NS;
	return activity->cpu.usage_ns < QUIET_BELOW_NS;
}

struct window_row *window_row_of(struct window *self, uint64_t container_id, bool is_container,
				 bool is_fold)
{
	size_t at = id_index_find(&self->row_index, container_id, 0);

	if (at != SIZE_MAX)
		return &self->rows[at];
	if (self->n_rows == self->cap_rows && !is_fold) {
		self->dropped++;
		return NULL;
	}
	at = id_index_put(&self->row_index, container_id, 0, self->n_rows++);
	self->rows[at] = (struct window_row){
		.container_id = container_id,
		.is_container = is_container,
	};
	return &self->rows[at];
}

static void add_quota(struct window *window, struct window_row *row, const char *path, bool own,
		      const struct cpu_counters *cpu)
{
	if (row->n_quotas == WINDOW_MAX_QUOTAS) {
		window->dropped++;
		return;
	}
	row->quotas[row->n_quotas++] = (struct window_quota){
		.cgroup_path = path,
		.own = own,
		.quota_us = cpu->quota_us,
		.period_us = cpu->period_us,
		.burst_us = cpu->burst_us,
		.nr_periods = cpu->nr_periods,
		.nr_throttled = cpu->nr_throttled,
		.throttled_ns = cpu->throttled_ns,
	};
}

static void add_ancestor_quotas(const struct differ *self, uint64_t cgroup_id,
				struct window_row *row)
{
	const struct window_names *names = self->names;

	while (names->parent(names->table, cgroup_id, &cgroup_id)) {
		const struct cgroup_counters *old = snapshot_find(self->old, cgroup_id);
		const struct cgroup_counters *new = snapshot_find(self->new, cgroup_id);
		struct cgroup_name name;
		struct cpu_counters cpu = {};

		if (!old || !new || !(old->has & new->has & CGROUP_HAS_BANDWIDTH))
			continue;
		if (new->cpu.quota_us == 0 || !names->find(names->table, cgroup_id, &name))
			continue;
		if (bandwidth_difference(&old->cpu, &new->cpu, &cpu))
			add_quota(self->window, row, name.path, false, &cpu);
	}
}

static void add_row(const struct differ *self, size_t at)
{
	const struct cgroup_counters *new = &self->new->cgroups[at];
	struct activity activity;
	struct window_row *row;
	bool is_fold;

	measure(self, at, &activity);
	if (activity.has == 0)
		return;
	is_fold = is_folded(&activity);
	row = window_row_of(self->window,
			    is_fold ? self->names->fold_container_id : activity.name.container_id,
			    !is_fold && activity.name.is_container, is_fold);
	if (!row)
		return;
	self->window->marks[at].row_plus_1 = (uint32_t)(row - self->window->rows) + 1;
	self->window->marks[at].has_sched = activity.has & CGROUP_HAS_SCHED;

	sched_add(&row->sched, &activity.sched);
	row->usage_ns += activity.cpu.usage_ns;
	row->user_ns += activity.cpu.user_ns;
	row->system_ns += activity.cpu.system_ns;
	row->has |= is_fold ? activity.has & ~(uint32_t)CGROUP_HAS_BANDWIDTH : activity.has;
	if (is_fold || !activity.is_topmost)
		return;
	row->cpus_allowed = new->cpus_allowed;
	if (activity.has & CGROUP_HAS_BANDWIDTH)
		add_quota(self->window, row, activity.name.path, true, &activity.cpu);
	add_ancestor_quotas(self, new->cgroup_id, row);
}

void window_diff(const struct snapshot *old, const struct snapshot *new,
		 const struct window_names *names, struct window *ret)
{
	const struct differ differ = {old, new, names, ret};
	size_t n_cgroups = new->n_cgroups;

	ret->duration_ns = new->taken_at_ns - old->taken_at_ns;
	ret->n_rows = 0;
	ret->n_pairs = 0;
	ret->dropped = 0;
	id_index_clear(&ret->row_index);
	id_index_clear(&ret->pair_index);
	memset(ret->marks, 0, ret->cap_rows * sizeof(*ret->marks));
	host_difference(&old->host, &new->host, &ret->host);

	if (n_cgroups > ret->cap_rows) {
		ret->dropped += n_cgroups - ret->cap_rows;
		n_cgroups = ret->cap_rows;
	}
	mark_parents(&differ);
	for (size_t at = 0; at < n_cgroups; at++)
		add_row(&differ, at);
	window_blame(&differ);
}
