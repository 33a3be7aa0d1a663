#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cgroup/mode.h"

/*
 * id -> path -> name, for every live cgroup of the cpu controller's hierarchy.
 * Refreshed by a bounded walk; the dead stay resolvable for one more window.
 */
struct cgroup_identity {
	uint64_t container_id;
	bool is_container;
	char *name;
	char *runtime; /* docker, containerd, cri-o, podman or "" */
	char *runtime_id;
	char *image;
	char *pod;
	char *namespace;
	char *pod_uid;
	char **labels; /* key, value, key, value, ... NULL */
};

struct cgroup {
	uint64_t id;	    /* kn->id = inode of its directory in the cpu hierarchy */
	uint64_t parent_id; /* 0 for the root */
	char *path;	    /* "/" for the root */
	struct cgroup_identity identity;
	bool is_alive;
	unsigned int dead_refreshes; /* refreshes since it was last seen */
	bool identity_changed;	     /* must go into the next batch */
};

struct cgroup_table;
struct identity_sources;

int cgroup_table_new(const struct cgroup_mode *mode, size_t capacity, struct cgroup_table **ret);
void cgroup_table_free(struct cgroup_table *self);

/* Where names come from; without it a container is called by its short id. Not copied. */
void cgroup_table_set_sources(struct cgroup_table *self, const struct identity_sources *sources);

/* Walks the hierarchy, adds the new, marks the gone, resolves identities of the new. */
int cgroup_table_refresh(struct cgroup_table *self);

const struct cgroup *cgroup_table_find(const struct cgroup_table *self, uint64_t id);
/* Iteration in no particular order: start with *cursor = 0. */
const struct cgroup *cgroup_table_next(const struct cgroup_table *self, size_t *cursor);
size_t cgroup_table_size(const struct cgroup_table *self);
uint64_t
cgroup_table_dropped(const struct cgroup_table *self); /* did not fit at the last refresh */
const struct cgroup_mode *cgroup_table_mode(const struct cgroup_table *self);

/* This identity is in a batch on disk: not again until it changes. */
void cgroup_table_identity_sent(struct cgroup_table *self, uint64_t id);
/* Every identity goes out once more. */
void cgroup_table_resend_identities(struct cgroup_table *self);
