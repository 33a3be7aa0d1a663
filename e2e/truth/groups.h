#pragma once

/* The plan's cgroups in the hierarchy of the cpu controller, v1 or v2. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

#define GROUPS_MAX_MADE (2UL * PLAN_MAX_GROUPS)

struct groups {
	char root[256];
	bool is_v2;
	char *made[GROUPS_MAX_MADE]; /* directories, in the order in which they were made */
	size_t n_made;
	uint64_t ids[PLAN_MAX_GROUPS]; /* inode = kernfs id */
};

/* Makes them all. 0 or negative errno, which groups_remove() then tidies up after. */
int groups_make(struct groups *self, const struct plan *plan);
/* Moves the calling process; in a child, before exec. */
int groups_enter(const struct groups *self, const struct plan_group *group);
/* Kills what is inside and removes them. */
int groups_remove(struct groups *self);
/* "<name> <id> <path>" for each, then cpu.stat as "<name> <key> <value>". */
int groups_write_ids(const struct groups *self, const struct plan *plan, const char *path);
int groups_write_cpu_stat(const struct groups *self, const struct plan *plan, const char *path);
