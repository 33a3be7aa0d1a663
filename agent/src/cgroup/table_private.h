#pragma once

/* Shared by the files of the table, and by nobody else. */

#include "cgroup/table.h"

struct entry {
	struct cgroup cgroup;
	uint64_t born_at_ns, died_at_ns; /* as told; 0 = found, or missed, by a walk */
	bool is_seen;			 /* in the walk that runs */
	bool is_leaving;		 /* goes at the next table_compact() */
	bool is_complete;
	unsigned int resolve_attempts;
};

struct cgroup_table {
	struct cgroup_mode mode;
	const struct identity_sources *sources;
	struct entry *entries; /* the first n_entries are used, no holes, in order of arrival */
	size_t n_entries, capacity;
	uint32_t *slots;	   /* id -> index + 1, open addressing; 0 = free */
	uint32_t *container_slots; /* container_id -> index + 1 of its topmost cgroup */
	size_t slot_mask;
	uint64_t dropped;
	uint64_t n_cpus;
	bool is_followed, is_walk_due;
	unsigned int refreshes_since_walk;
};

/* table_index.c. Parents come before their children, so it is known who is topmost. */
struct entry *table_find(const struct cgroup_table *self, uint64_t id);
void table_index(struct cgroup_table *self, size_t at);
void table_index_all(struct cgroup_table *self);

/* Finds or adds. What fits nowhere is counted, and `ret_entry` is NULL. */
int table_see(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path,
	      struct entry **ret_entry);

/* Asks for the identity, also of one that has one already. */
int table_resolve(struct cgroup_table *self, struct entry *entry);

/* Forgets those that are leaving, closes the holes, and makes the index anew. */
void table_compact(struct cgroup_table *self);

/* table_evict.c: forgets some of the dead when the table is full; whether there is room now. */
bool table_make_room(struct cgroup_table *self);
/* One refresh is over: the dead are a refresh older. */
void table_age(struct cgroup_table *self);
