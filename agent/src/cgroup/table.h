#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cgroup/mode.h"

/*
 * id -> path -> name, for every live cgroup of the cpu controller's hierarchy, and for the
 * dead until their last window is made. Told of births and deaths by the kernel where it
 * can (collectors/lifecycle), else kept by a bounded walk.
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
	/* The kernel let go of it: no task can run there any more. Never without lifecycle. */
	bool is_released;
	unsigned int dead_refreshes; /* refreshes since it died, or was last seen */
	bool identity_changed;	     /* must go into the next batch */
};

struct cgroup_table;
struct identity_sources;

int cgroup_table_new(const struct cgroup_mode *mode, size_t capacity, struct cgroup_table **ret);
void cgroup_table_free(struct cgroup_table *self);

/* Where names come from; without it a container is called by its short id. Not copied. */
void cgroup_table_set_sources(struct cgroup_table *self, const struct identity_sources *sources);

/*
 * Before every read. Walks the hierarchy, unless births and deaths are told: then only now
 * and then, to check. Asks again for names that were missing, and lets the dead go.
 * A full table forgets the dead first, oldest first, and of those whose window is still open
 * only who lived too shortly to have run 50 ms.
 */
int cgroup_table_refresh(struct cgroup_table *self);

/*
 * As the kernel tells it, in its order. `at_ns` is of any one clock. A pointer to a cgroup,
 * its path or its identity holds until the next of these calls or refresh.
 */
int cgroup_table_born(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path,
		      uint64_t at_ns);
void cgroup_table_died(struct cgroup_table *self, uint64_t id, uint64_t at_ns);
void cgroup_table_released(struct cgroup_table *self, uint64_t id);

/* Somebody tells from now on, or no more. */
void cgroup_table_follow(struct cgroup_table *self, bool is_followed);
/* Something was missed: the next refresh walks. */
void cgroup_table_distrust(struct cgroup_table *self);

const struct cgroup *cgroup_table_find(const struct cgroup_table *self, uint64_t id);
/* The topmost cgroup of a container, or the system cgroup, that goes by this id. */
const struct cgroup *cgroup_table_find_container(const struct cgroup_table *self,
						 uint64_t container_id);
/* Iteration in no particular order: start with *cursor = 0. */
const struct cgroup *cgroup_table_next(const struct cgroup_table *self, size_t *cursor);
size_t cgroup_table_size(const struct cgroup_table *self);
size_t cgroup_table_capacity(const struct cgroup_table *self);
/* Cumulative: how often a cgroup found no room; a walk asks for it again. */
uint64_t cgroup_table_dropped(const struct cgroup_table *self);
const struct cgroup_mode *cgroup_table_mode(const struct cgroup_table *self);

/* This identity is in a batch on disk: not again until it changes. */
void cgroup_table_identity_sent(struct cgroup_table *self, uint64_t id);
/* Every identity goes out once more. */
void cgroup_table_resend_identities(struct cgroup_table *self);
