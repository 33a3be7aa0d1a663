#include "cgroup/cpu_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"
#include "cgroup/cpu_stat_parse.h"

#define FILE_MAX_BYTES 4096

/* Reading a file of a cgroup that was removed after the open says ENODEV. */
static int gone(int r)
{
	return r == -ENODEV ? -ENOENT : r;
}

static int open_cgroup(const char *root, const char *cgroup_path, int *ret_fd)
{
	char path[PATH_MAX];
	int fd;

	if (root[0] == '\0')
		return -ENOENT;
	if ((size_t)snprintf(path, sizeof(path), "%s%s", root, cgroup_path) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

static int read_number(int dir, const char *name, uint64_t *ret_number)
{
	char text[64];
	int r;

	r = file_read_into(dir, name, text, sizeof(text), NULL);
	if (r < 0)
		return r;
	return number_file_parse(text, ret_number);
}

/* Absent where the kernel is older or the file is not on the root: then 0. */
static int read_optional_number(int dir, const char *name, uint64_t *ret_number)
{
	int r = read_number(dir, name, ret_number);

	if (r == -ENOENT) {
		*ret_number = 0;
		return 0;
	}
	return r;
}

static int read_v2(int dir, struct cpu_counters *counters, uint32_t *has)
{
	char text[FILE_MAX_BYTES];
	int r;

	r = file_read_into(dir, "cpu.stat", text, sizeof(text), NULL);
	if (r < 0)
		return r;
	r = cpu_stat_parse(text, counters, has);
	if (r < 0 || !(*has & CGROUP_HAS_BANDWIDTH))
		return r;

	/* The root has periods in cpu.stat on some kernels, but never a quota. */
	r = file_read_into(dir, "cpu.max", text, sizeof(text), NULL);
	if (r == -ENOENT) {
		*has &= ~(uint32_t)CGROUP_HAS_BANDWIDTH;
		return 0;
	}
	if (r < 0)
		return r;
	r = cpu_max_parse(text, counters);
	if (r < 0)
		return r;
	return read_optional_number(dir, "cpu.max.burst", &counters->burst_us); /* since 5.14 */
}

static int read_v1_bandwidth(int dir, struct cpu_counters *counters, uint32_t *has)
{
	char text[FILE_MAX_BYTES];
	int r;

	r = file_read_into(dir, "cpu.stat", text, sizeof(text), NULL);
	if (r < 0)
		return r;
	r = cpu_stat_parse(text, counters, has);
	if (r < 0 || !(*has & CGROUP_HAS_BANDWIDTH))
		return r;

	r = file_read_into(dir, "cpu.cfs_quota_us", text, sizeof(text), NULL);
	if (r == -ENOENT) {
		*has &= ~(uint32_t)CGROUP_HAS_BANDWIDTH;
		return 0;
	}
	if (r < 0)
		return r;
	r = cfs_quota_parse(text, &counters->quota_us);
	if (r < 0)
		return r;
	r = read_number(dir, "cpu.cfs_period_us", &counters->period_us);
	if (r < 0)
		return r;
	return read_optional_number(dir, "cpu.cfs_burst_us", &counters->burst_us); /* since 5.14 */
}

static int read_v1_usage(int dir, struct cpu_counters *counters, uint32_t *has)
{
	char text[FILE_MAX_BYTES];
	int r;

	r = read_number(dir, "cpuacct.usage", &counters->usage_ns);
	if (r < 0)
		return r;

	/* In ns since 4.16; cpuacct.stat before that, in ticks. */
	r = read_number(dir, "cpuacct.usage_user", &counters->user_ns);
	if (r == 0)
		r = read_number(dir, "cpuacct.usage_sys", &counters->system_ns);
	if (r == -ENOENT) {
		r = file_read_into(dir, "cpuacct.stat", text, sizeof(text), NULL);
		if (r == 0)
			r = cpuacct_stat_parse(text, (uint64_t)sysconf(_SC_CLK_TCK), counters);
	}
	if (r < 0)
		return r;
	*has |= CGROUP_HAS_USAGE;
	return 0;
}

static int read_v1(const struct cgroup_mode *mode, const char *cgroup_path, int dir,
		   struct cpu_counters *counters, uint32_t *has)
{
	cleanup(close_fdp) int cpuacct = -1;
	int r;

	r = read_v1_bandwidth(dir, counters, has);
	if (r < 0)
		return r;

	r = open_cgroup(mode->cpuacct_root, cgroup_path, &cpuacct);
	if (r == 0)
		r = read_v1_usage(cpuacct, counters, has);
	/* Another hierarchy: the cgroup need not exist in it. */
	return r == -ENOENT || r == -ENODEV ? 0 : r;
}

static int read_cpus(const char *root, const char *cgroup_path, const char *name, uint32_t *ret)
{
	cleanup(close_fdp) int dir = -1;
	char text[FILE_MAX_BYTES];
	int r;

	r = open_cgroup(root, cgroup_path, &dir);
	if (r < 0)
		return r;
	r = file_read_into(dir, name, text, sizeof(text), NULL);
	if (r < 0)
		return r;
	return parse_cpulist_count(text, ret);
}

/* 0 = unknown: on v1 the cpuset hierarchy may not have this cgroup at all. */
static uint32_t cpus_allowed(const struct cgroup_mode *mode, const char *cgroup_path)
{
	char path[PATH_MAX];
	uint32_t cpus = 0;

	if (mode->version != CGROUP_V2)
		return read_cpus(mode->cpuset_root, cgroup_path, "cpuset.effective_cpus", &cpus) < 0
			       ? 0
			       : cpus;

	/* On v2 the nearest ancestor with the controller on decides. */
	if ((size_t)snprintf(path, sizeof(path), "%s", cgroup_path) >= sizeof(path))
		return 0;
	for (;;) {
		char *slash = strrchr(path, '/');

		if (read_cpus(mode->cpuset_root, path, "cpuset.cpus.effective", &cpus) == 0)
			return cpus;
		if (!slash || path[1] == '\0')
			return 0;
		slash[slash == path] = '\0';
	}
}

int cpu_stat_read(const struct cgroup_mode *mode, const char *cgroup_path,
		  struct cpu_counters *ret_counters, uint32_t *ret_has, uint32_t *ret_cpus_allowed)
{
	cleanup(close_fdp) int dir = -1;
	struct cpu_counters counters = {0};
	uint32_t has = 0;
	int r;

	r = open_cgroup(mode->cpu_root, cgroup_path, &dir);
	if (r < 0)
		return gone(r);
	if (mode->version == CGROUP_V2)
		r = read_v2(dir, &counters, &has);
	else
		r = read_v1(mode, cgroup_path, dir, &counters, &has);
	if (r < 0)
		return gone(r);

	*ret_counters = counters;
	*ret_has = has;
	*ret_cpus_allowed = cpus_allowed(mode, cgroup_path);
	return 0;
}
