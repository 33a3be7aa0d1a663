#include <string.h>

#include "cgroup/table_private.h"

static size_t slot_of(const struct cgroup_table *self, uint64_t id)
{
	return (size_t)(id * 0x9e3779b97f4a7c15ULL >> 32) & self->slot_mask;
}

struct entry *table_find(const struct cgroup_table *self, uint64_t id)
{
	size_t slot = slot_of(self, id);

	for (; self->slots[slot]; slot = (slot + 1) & self->slot_mask) {
		struct entry *entry = &self->entries[self->slots[slot] - 1];

		if (entry->cgroup.id == id)
			return entry;
	}
	return NULL;
}

static bool is_topmost(const struct cgroup_table *self, const struct cgroup *cgroup)
{
	const struct entry *parent = table_find(self, cgroup->parent_id);

	return !parent || parent->cgroup.identity.container_id != cgroup->identity.container_id;
}

/* The one that came last under a path that was used again. */
static void index_container(struct cgroup_table *self, size_t at)
{
	const uint64_t container_id = self->entries[at].cgroup.identity.container_id;
	size_t slot = slot_of(self, container_id);

	if (!is_topmost(self, &self->entries[at].cgroup))
		return;
	for (; self->container_slots[slot]; slot = (slot + 1) & self->slot_mask) {
		const struct entry *other = &self->entries[self->container_slots[slot] - 1];

		if (other->cgroup.identity.container_id == container_id)
			break;
	}
	self->container_slots[slot] = (uint32_t)at + 1;
}

void table_index(struct cgroup_table *self, size_t at)
{
	size_t slot = slot_of(self, self->entries[at].cgroup.id);

	while (self->slots[slot])
		slot = (slot + 1) & self->slot_mask;
	self->slots[slot] = (uint32_t)at + 1;
	index_container(self, at);
}

void table_index_all(struct cgroup_table *self)
{
	memset(self->slots, 0, (self->slot_mask + 1) * sizeof(self->slots[0]));
	memset(self->container_slots, 0, (self->slot_mask + 1) * sizeof(self->container_slots[0]));
	for (size_t i = 0; i < self->n_entries; i++)
		table_index(self, i);
}

const struct cgroup *cgroup_table_find(const struct cgroup_table *self, uint64_t id)
{
	const struct entry *entry = table_find(self, id);

	return entry ? &entry->cgroup : NULL;
}

const struct cgroup *cgroup_table_find_container(const struct cgroup_table *self,
						 uint64_t container_id)
{
	size_t slot = slot_of(self, container_id);

	for (; self->container_slots[slot]; slot = (slot + 1) & self->slot_mask) {
		const struct entry *entry = &self->entries[self->container_slots[slot] - 1];

		if (entry->cgroup.identity.container_id == container_id)
			return &entry->cgroup;
	}
	return NULL;
}
