#pragma once

#include <stdint.h>

/* Which hierarchy carries the cpu controller, decided once at start. */
enum cgroup_version {
	CGROUP_V1 = 1,	   /* cpu controller on v1, no v2 tree */
	CGROUP_V2 = 2,	   /* pure v2 */
	CGROUP_HYBRID = 3, /* cpu controller on v1 beside a v2 tree */
};

struct cgroup_mode {
	enum cgroup_version version;
	char cpu_root[256];	/* directory of the cpu hierarchy */
	char cpuacct_root[256]; /* v1: may be another mount; "" if absent. v2: same as cpu_root */
	char cpuset_root[256];	/* "" if absent */
};

const char *cgroup_version_name(enum cgroup_version version); /* "v1", "v2", "hybrid" */

/* `sysfs_root` is "/sys/fs/cgroup" and /proc/self/mountinfo in life; a fixture in tests. */
int cgroup_mode_detect(const char *mountinfo_path, struct cgroup_mode *ret_mode);

/* The kernel's number of the hierarchy that carries the cpu controller: /proc/self/cgroup. */
int cgroup_hierarchy_id(const char *self_cgroup_path, uint32_t *ret_id);
