#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup/cpu_stat.h"
#include "cgroup/table.h"
#include "collectors/collector.h"
#include "host/cpu_times.h"

extern const struct collector throttle_collector;

/* cpu.stat, quota and cpuset of every live cgroup, and the host's own CPU times. No BPF. */
struct throttle {
	struct cgroup_table *cgroups;
	uint64_t lost;
};

static int throttle_open(const struct config *config, struct cgroup_table *cgroups,
			 void **ret_state, struct collector_report *ret_report)
{
	struct throttle *self;

	(void)config;
	*ret_report = (struct collector_report){.state = COLLECTOR_FAILED};
	if (!cgroups || cgroup_table_mode(cgroups)->cpu_root[0] == '\0') {
		collector_report_set(ret_report, COLLECTOR_UNSUPPORTED,
				     "no cgroup hierarchy with the cpu controller is mounted");
		return -EOPNOTSUPP;
	}
	self = calloc(1, sizeof(*self));
	if (!self) {
		collector_report_set(ret_report, COLLECTOR_FAILED, "out of memory");
		return -ENOMEM;
	}
	self->cgroups = cgroups;
	ret_report->state = COLLECTOR_OK;
	*ret_state = self;
	return 0;
}

/* A cgroup that went between the walk and the read is no loss: it has no next window. */
static int read_cgroup(const struct throttle *self, const struct cgroup *cgroup,
		       struct snapshot *snapshot)
{
	struct cgroup_counters *row;
	struct cpu_counters cpu = {};
	uint32_t has = 0, cpus_allowed = 0;
	int r;

	r = cpu_stat_read(cgroup_table_mode(self->cgroups), cgroup->path, &cpu, &has,
			  &cpus_allowed);
	if (r == -ENOENT || r == -ENODEV)
		return 0;
	if (r < 0)
		return r;
	row = snapshot_cgroup(snapshot, cgroup->id);
	if (!row)
		return -ENOSPC;
	row->cpu = cpu;
	row->has |= has;
	row->cpus_allowed = cpus_allowed;
	return 0;
}

static int throttle_read(void *state, struct snapshot *snapshot,
			 struct collector_report *ret_report)
{
	struct throttle *self = state;
	const struct cgroup *cgroup;
	uint64_t n_failed = 0;
	size_t cursor = 0;
	int first_error = 0, host;

	*ret_report = (struct collector_report){.state = COLLECTOR_OK};
	while ((cgroup = cgroup_table_next(self->cgroups, &cursor))) {
		const int r = cgroup->is_alive ? read_cgroup(self, cgroup, snapshot) : 0;

		if (r == 0)
			continue;
		n_failed++;
		if (first_error == 0)
			first_error = r;
	}
	self->lost += n_failed;
	ret_report->lost = self->lost;
	host = host_counters_read(&snapshot->host);
	if (host < 0)
		collector_report_set(ret_report, COLLECTOR_DEGRADED, "/proc/stat: %s",
				     strerror(-host));
	else if (n_failed > 0)
		collector_report_set(ret_report, COLLECTOR_DEGRADED,
				     "cpu.stat of %llu cgroups could not be read: %s",
				     (unsigned long long)n_failed, strerror(-first_error));
	return 0;
}

static void throttle_close(void *state)
{
	free(state);
}

static int throttle_check(struct collector_report *ret_report)
{
	struct cgroup_mode mode;
	const int r = cgroup_mode_detect("/proc/self/mountinfo", &mode);

	*ret_report = (struct collector_report){.state = COLLECTOR_FAILED};
	if (r < 0) {
		collector_report_set(ret_report, COLLECTOR_UNSUPPORTED,
				     "no cgroup hierarchy with the cpu controller is mounted: %s",
				     strerror(-r));
		return r;
	}
	collector_report_set(ret_report, COLLECTOR_OK, "cgroup %s, cpu controller at %s",
			     cgroup_version_name(mode.version), mode.cpu_root);
	return 0;
}

const struct collector throttle_collector = {
	.name = "throttle",
	.open = throttle_open,
	.read = throttle_read,
	.close = throttle_close,
	.check = throttle_check,
};
