#include "window/snapshot.h"

#include <errno.h>
#include <stdlib.h>

int snapshot_init(struct snapshot *self, size_t cap_cgroups, size_t cap_preemptions)
{
	struct snapshot made = {.cap_cgroups = cap_cgroups, .cap_preemptions = cap_preemptions};
	int r;

	made.cgroups = calloc(cap_cgroups, sizeof(*made.cgroups));
	made.preemptions = calloc(cap_preemptions, sizeof(*made.preemptions));
	r = made.cgroups && made.preemptions ? 0 : -ENOMEM;
	if (r == 0)
		r = id_index_init(&made.cgroup_index, cap_cgroups);
	if (r == 0)
		r = id_index_init(&made.preemption_index, cap_preemptions);
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
	free(self->preemptions);
	id_index_free(&self->cgroup_index);
	id_index_free(&self->preemption_index);
	*self = (struct snapshot){};
}

void snapshot_reset(struct snapshot *self, uint64_t taken_at_ns)
{
	self->taken_at_ns = taken_at_ns;
	self->n_cgroups = 0;
	self->n_preemptions = 0;
	self->host = (struct host_counters){};
	self->dropped = 0;
	id_index_clear(&self->cgroup_index);
	id_index_clear(&self->preemption_index);
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

int snapshot_add_preemptions(struct snapshot *self, uint64_t prev_cgroup_id,
			     uint64_t next_cgroup_id, uint64_t count)
{
	size_t at = id_index_find(&self->preemption_index, prev_cgroup_id, next_cgroup_id);

	if (at != SIZE_MAX) {
		self->preemptions[at].count += count;
		return 0;
	}
	if (self->n_preemptions == self->cap_preemptions) {
		self->dropped++;
		return -ENOSPC;
	}
	at = id_index_put(&self->preemption_index, prev_cgroup_id, next_cgroup_id,
			  self->n_preemptions++);
	self->preemptions[at] = (struct preemption_counter){
		.prev_cgroup_id = prev_cgroup_id,
		.next_cgroup_id = next_cgroup_id,
		.count = count,
	};
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

static int order_preemptions(const void *a, const void *b)
{
	const struct preemption_counter *left = a, *right = b;
	const int by_prev = order(left->prev_cgroup_id, right->prev_cgroup_id);

	return by_prev ? by_prev : order(left->next_cgroup_id, right->next_cgroup_id);
}

void snapshot_seal(struct snapshot *self)
{
	qsort(self->cgroups, self->n_cgroups, sizeof(*self->cgroups), order_cgroups);
	qsort(self->preemptions, self->n_preemptions, sizeof(*self->preemptions),
	      order_preemptions);

	id_index_clear(&self->cgroup_index);
	for (size_t i = 0; i < self->n_cgroups; i++)
		(void)id_index_put(&self->cgroup_index, self->cgroups[i].cgroup_id, 0, i);
	id_index_clear(&self->preemption_index);
	for (size_t i = 0; i < self->n_preemptions; i++)
		(void)id_index_put(&self->preemption_index, self->preemptions[i].prev_cgroup_id,
				   self->preemptions[i].next_cgroup_id, i);
}

const struct cgroup_counters *snapshot_find(const struct snapshot *self, uint64_t cgroup_id)
{
	const size_t at = id_index_find(&self->cgroup_index, cgroup_id, 0);

	return at == SIZE_MAX ? NULL : &self->cgroups[at];
}

const struct preemption_counter *snapshot_find_preemptions(const struct snapshot *self,
							   uint64_t prev_cgroup_id,
							   uint64_t next_cgroup_id)
{
	const size_t at = id_index_find(&self->preemption_index, prev_cgroup_id, next_cgroup_id);

	return at == SIZE_MAX ? NULL : &self->preemptions[at];
}
