#include "window/snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/pages.h"

_Static_assert(offsetof(struct cgroup_counters, cgroup_id) == 0, "the key of cgroup_index");
_Static_assert(offsetof(struct pair_counter, waiter_cgroup_id) == 0, "the key of pair_index");
_Static_assert(offsetof(struct pair_counter, runner_cgroup_id) == 8, "the key of pair_index");

int snapshot_init(struct snapshot *self, size_t cap_cgroups, size_t cap_pairs)
{
	struct snapshot made = {.cap_cgroups = cap_cgroups, .cap_pairs = cap_pairs};
	int r;

	made.cgroups = calloc(cap_cgroups, sizeof(*made.cgroups));
	made.pairs = calloc(cap_pairs, sizeof(*made.pairs));
	r = made.cgroups && made.pairs ? 0 : -ENOMEM;
	if (r == 0)
		r = id_index_init(&made.cgroup_index, cap_cgroups, made.cgroups,
				  sizeof(*made.cgroups), ID_INDEX_ONE_ID);
	if (r == 0)
		r = id_index_init(&made.pair_index, cap_pairs, made.pairs, sizeof(*made.pairs),
				  ID_INDEX_TWO_IDS);
	if (r < 0) {
		snapshot_free(&made);
		return r;
	}
	*self = made;
	return 0;
}

void snapshot_free(struct snapshot *self)
{
	if (!self)
		return;
	free(self->cgroups);
	free(self->pairs);
	id_index_free(&self->cgroup_index);
	id_index_free(&self->pair_index);
	*self = (struct snapshot){};
}

void snapshot_reset(struct snapshot *self, uint64_t taken_at_ns)
{
	self->taken_at_ns = taken_at_ns;
	self->n_cgroups = 0;
	self->n_pairs = 0;
	self->host = (struct host_counters){};
	self->dropped = 0;
	id_index_clear(&self->cgroup_index);
	id_index_clear(&self->pair_index);
}

void snapshot_forget(struct snapshot *self)
{
	pages_forget(self->cgroups, self->n_cgroups * sizeof(*self->cgroups));
	pages_forget(self->pairs, self->n_pairs * sizeof(*self->pairs));
	id_index_forget(&self->cgroup_index);
	id_index_forget(&self->pair_index);
	snapshot_reset(self, 0);
}

struct cgroup_counters *snapshot_cgroup(struct snapshot *self, uint64_t cgroup_id)
{
	size_t at = id_index_find(&self->cgroup_index, cgroup_id, 0);

	if (at != SIZE_MAX)
		return &self->cgroups[at];
	if (self->n_cgroups == self->cap_cgroups) {
		self->dropped++;
		return NULL;
	}
	at = id_index_put(&self->cgroup_index, cgroup_id, 0, self->n_cgroups++);
	self->cgroups[at] = (struct cgroup_counters){.cgroup_id = cgroup_id};
	return &self->cgroups[at];
}

int snapshot_add_pair(struct snapshot *self, const struct pair_counter *pair)
{
	size_t at =
		id_index_find(&self->pair_index, pair->waiter_cgroup_id, pair->runner_cgroup_id);

	if (at != SIZE_MAX) {
		self->pairs[at].preemptions += pair->preemptions;
		self->pairs[at].wait_ns += pair->wait_ns;
		return 0;
	}
	if (self->n_pairs == self->cap_pairs) {
		self->dropped++;
		return -ENOSPC;
	}
	at = id_index_put(&self->pair_index, pair->waiter_cgroup_id, pair->runner_cgroup_id,
			  self->n_pairs++);
	self->pairs[at] = *pair;
	return 0;
}

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int order_cgroups(const void *a, const void *b)
{
	const struct cgroup_counters *left = a, *right = b;

	return order(left->cgroup_id, right->cgroup_id);
}

static int order_pairs(const void *a, const void *b)
{
	const struct pair_counter *left = a, *right = b;
	const int by_prev = order(left->waiter_cgroup_id, right->waiter_cgroup_id);

	return by_prev ? by_prev : order(left->runner_cgroup_id, right->runner_cgroup_id);
}

void snapshot_seal(struct snapshot *self)
{
	qsort(self->cgroups, self->n_cgroups, sizeof(*self->cgroups), order_cgroups);
	qsort(self->pairs, self->n_pairs, sizeof(*self->pairs), order_pairs);

	id_index_clear(&self->cgroup_index);
	for (size_t i = 0; i < self->n_cgroups; i++)
		(void)id_index_put(&self->cgroup_index, self->cgroups[i].cgroup_id, 0, i);
	id_index_clear(&self->pair_index);
	for (size_t i = 0; i < self->n_pairs; i++)
		(void)id_index_put(&self->pair_index, self->pairs[i].waiter_cgroup_id,
				   self->pairs[i].runner_cgroup_id, i);
}

const struct cgroup_counters *snapshot_find(const struct snapshot *self, uint64_t cgroup_id)
{
	const size_t at = id_index_find(&self->cgroup_index, cgroup_id, 0);

	return at == SIZE_MAX ? NULL : &self->cgroups[at];
}

const struct pair_counter *snapshot_find_pair(const struct snapshot *self,
					      uint64_t waiter_cgroup_id, uint64_t runner_cgroup_id)
{
	const size_t at = id_index_find(&self->pair_index, waiter_cgroup_id, runner_cgroup_id);

	return at == SIZE_MAX ? NULL : &self->pairs[at];
}
