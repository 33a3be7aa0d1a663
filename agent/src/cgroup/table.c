#include "cgroup/table.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "cgroup/identity.h"
#include "cgroup/table_private.h"

static const struct identity_sources no_sources;

int cgroup_table_new(const struct cgroup_mode *mode, size_t capacity, struct cgroup_table **ret)
{
	struct cgroup_table *self = calloc(1, sizeof(*self));
	const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n_slots = 16;

	if (!self)
		return -ENOMEM;
	while (n_slots < 2 * capacity)
		n_slots *= 2;
	*self = (struct cgroup_table){
		.mode = *mode,
		.sources = &no_sources,
		.capacity = capacity,
		.slot_mask = n_slots - 1,
		.n_cpus = n_cpus > 0 ? (uint64_t)n_cpus : 1,
		.entries = calloc(capacity, sizeof(struct entry)),
		.slots = calloc(n_slots, sizeof(uint32_t)),
		.container_slots = calloc(n_slots, sizeof(uint32_t)),
	};
	if (!self->entries || !self->slots || !self->container_slots) {
		cgroup_table_free(self);
		return -ENOMEM;
	}
	*ret = self;
	return 0;
}

static void entry_clear(struct entry *entry)
{
	free(entry->cgroup.path);
	identity_free(&entry->cgroup.identity);
	*entry = (struct entry){0};
}

void cgroup_table_free(struct cgroup_table *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->n_entries; i++)
		entry_clear(&self->entries[i]);
	free(self->entries);
	free(self->slots);
	free(self->container_slots);
	free(self);
}

void cgroup_table_set_sources(struct cgroup_table *self, const struct identity_sources *sources)
{
	self->sources = sources;
}

int table_resolve(struct cgroup_table *self, struct entry *entry)
{
	struct cgroup *cgroup = &entry->cgroup;
	struct cgroup_identity identity;
	int r;

	r = identity_resolve(self->sources, cgroup->path, &identity, &entry->is_complete);
	if (r < 0)
		return r;
	entry->resolve_attempts++;
	if (!identity_equal(&identity, &cgroup->identity))
		cgroup->identity_changed = true;
	identity_free(&cgroup->identity);
	cgroup->identity = identity;
	return 0;
}

static int add(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path,
	       struct entry **ret_entry)
{
	struct entry *entry;
	int r;

	*ret_entry = NULL;
	if (self->n_entries == self->capacity && !table_make_room(self)) {
		self->dropped++;
		self->is_walk_due = true; /* there may be room by then */
		return 0;
	}
	entry = &self->entries[self->n_entries];
	entry->cgroup.id = id;
	entry->cgroup.parent_id = parent_id;
	entry->cgroup.path = strdup(path);
	r = entry->cgroup.path ? table_resolve(self, entry) : -ENOMEM;
	if (r < 0) {
		entry_clear(entry);
		return r;
	}
	entry->cgroup.is_alive = true;
	entry->cgroup.identity_changed = true;
	table_index(self, self->n_entries++);
	*ret_entry = entry;
	return 0;
}

/* v1 lets a cgroup be renamed: the same inode under another path is somebody else. */
static int rename_entry(struct cgroup_table *self, struct entry *entry, const char *path)
{
	char *copy = strdup(path);
	int r;

	if (!copy)
		return -ENOMEM;
	free(entry->cgroup.path);
	entry->cgroup.path = copy;
	entry->resolve_attempts = 0;
	r = table_resolve(self, entry);
	table_index_all(self);
	return r;
}

int table_see(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path,
	      struct entry **ret_entry)
{
	struct entry *entry = table_find(self, id);

	if (!entry)
		return add(self, id, parent_id, path, ret_entry);
	*ret_entry = entry;
	entry->cgroup.parent_id = parent_id;
	return strcmp(entry->cgroup.path, path) == 0 ? 0 : rename_entry(self, entry, path);
}

void table_compact(struct cgroup_table *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->n_entries; i++) {
		struct entry *entry = &self->entries[i];

		if (entry->is_leaving) {
			entry_clear(entry);
			continue;
		}
		if (kept != i) {
			self->entries[kept] = *entry;
			*entry = (struct entry){0};
		}
		kept++;
	}
	if (kept == self->n_entries)
		return;
	self->n_entries = kept;

	table_index_all(self);
}

int cgroup_table_born(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path,
		      uint64_t at_ns)
{
	struct entry *entry;
	int r;

	r = table_see(self, id, parent_id, path, &entry);
	if (r == 0 && entry)
		entry->born_at_ns = at_ns;
	return r;
}

void cgroup_table_died(struct cgroup_table *self, uint64_t id, uint64_t at_ns)
{
	struct entry *entry = table_find(self, id);

	if (!entry || !entry->cgroup.is_alive)
		return;
	entry->cgroup.is_alive = false;
	entry->died_at_ns = at_ns;
}

void cgroup_table_released(struct cgroup_table *self, uint64_t id)
{
	struct entry *entry = table_find(self, id);

	if (!entry)
		return;
	entry->cgroup.is_alive = false;
	entry->cgroup.is_released = true;
}

void cgroup_table_follow(struct cgroup_table *self, bool is_followed)
{
	self->is_followed = is_followed;
	self->is_walk_due = true;
}

void cgroup_table_distrust(struct cgroup_table *self)
{
	self->is_walk_due = true;
}

const struct cgroup *cgroup_table_next(const struct cgroup_table *self, size_t *cursor)
{
	if (*cursor >= self->n_entries)
		return NULL;
	return &self->entries[(*cursor)++].cgroup;
}

size_t cgroup_table_size(const struct cgroup_table *self)
{
	return self->n_entries;
}

size_t cgroup_table_capacity(const struct cgroup_table *self)
{
	return self->capacity;
}

uint64_t cgroup_table_dropped(const struct cgroup_table *self)
{
	return self->dropped;
}

const struct cgroup_mode *cgroup_table_mode(const struct cgroup_table *self)
{
	return &self->mode;
}

void cgroup_table_identity_sent(struct cgroup_table *self, uint64_t id)
{
	struct entry *entry = table_find(self, id);

	if (entry)
		entry->cgroup.identity_changed = false;
}

void cgroup_table_resend_identities(struct cgroup_table *self)
{
	for (size_t i = 0; i < self->n_entries; i++)
		self->entries[i].cgroup.identity_changed = true;
}
