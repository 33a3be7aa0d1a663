#include "collectors/sched/sched.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "cgroup/table.h"
#include "collectors/bpf_env.h"
#include "sched.skel.h"

extern const struct collector sched_collector;

/* What a slot costs on every CPU. */
#define ROW_BYTES                                                      \
	(sizeof(struct sched_record) + sizeof(struct sched_throttle) + \
	 (1 + SCHED_CHECKPOINTS) * sizeof(__u32))

static void sched_close(void *state)
{
	struct sched *self = state;

	if (!self)
		return;
	if (self->records)
		munmap(self->records, self->records_length);
	if (self->throttles)
		munmap(self->throttles, self->throttles_length);
	if (self->limits)
		munmap(self->limits, self->limits_length);
	if (self->shifts)
		munmap(self->shifts, self->shifts_length);
	if (self->lanes)
		munmap(self->lanes, self->lanes_length);
	cgroup_slots_close(&self->slots);
	sched_harvest_close(self);
	sched_events_close(self);
	sched_bpf__destroy(self->skel);
	free(self->idle_gap_ns);
	free(self->nobodys_ns);
	free(self->charged_ns);
	free(self->retired_ns);
	free(self);
}

static void sched_closep(struct sched **self)
{
	sched_close(*self);
}

static void btf_freep(struct btf **btf)
{
	btf__free(*btf);
}

/* (data, preempt, prev, next, ...); the first 5.18 releases had prev_state before prev. */
static bool has_prev_second(const struct btf *btf)
{
	const __s32 id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;

	type = type ? btf__type_by_id(btf, type->type) : NULL; /* the pointer */
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type) || btf_vlen(type) < 4)
		return false;
	type = btf__type_by_id(btf, btf_params(type)[2].type);
	return type && btf_is_ptr(type);
}

static int check_kernel(struct collector_report *report)
{
	static const struct {
		const char *structure, *field, *config;
	} needs[] = {
		{"task_struct", "sched_task_group", "CONFIG_CGROUP_SCHED"},
		{"sched_entity", "cfs_rq", "CONFIG_FAIR_GROUP_SCHED"},
		{"sched_info", "last_queued", "CONFIG_SCHED_INFO"},
	};
	cleanup(btf_freep) struct btf *btf = NULL;
	const int r = bpf_env_open(report, &btf);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (bpf_env_has_field(btf, needs[i].structure, needs[i].field))
			continue;
		collector_report_set(report, COLLECTOR_UNSUPPORTED,
				     "this kernel has no %s.%s: it must be built with %s=y",
				     needs[i].structure, needs[i].field, needs[i].config);
		return -EOPNOTSUPP;
	}
	if (has_prev_second(btf))
		return 0;
	collector_report_set(report, COLLECTOR_UNSUPPORTED,
			     "this kernel passes sched_switch its arguments in another order "
			     "(early 5.18 did): update the kernel");
	return -EOPNOTSUPP;
}

static int map_rows(struct sched *self, uint32_t n_slots, uint64_t root_cgroup_id)
{
	const struct sched_bpf *skel = self->skel;
	int r;

	self->idle_gap_ns = calloc(n_slots, sizeof(*self->idle_gap_ns));
	self->nobodys_ns = calloc(n_slots, sizeof(*self->nobodys_ns));
	self->charged_ns = calloc(n_slots, sizeof(*self->charged_ns));
	self->retired_ns = calloc(n_slots, sizeof(*self->retired_ns));
	if (!self->idle_gap_ns || !self->nobodys_ns || !self->charged_ns || !self->retired_ns)
		return -ENOMEM;
	r = cgroup_slots_open(&self->slots, n_slots, root_cgroup_id, skel->maps.slot_by_css,
			      skel->maps.slot_owners, skel->maps.free_slots);
	if (r == 0)
		r = bpf_env_map(skel->maps.records, (void **)&self->records, &self->records_length);
	if (r == 0)
		r = bpf_env_map(skel->maps.throttles, (void **)&self->throttles,
				&self->throttles_length);
	if (r == 0)
		r = bpf_env_map(skel->maps.runq_shifts, (void **)&self->shifts,
				&self->shifts_length);
	if (r == 0)
		r = bpf_env_map(skel->maps.event_limits, (void **)&self->limits,
				&self->limits_length);
	if (r == 0)
		r = bpf_env_map(skel->maps.lanes, (void **)&self->lanes, &self->lanes_length);
	if (r == 0)
		r = sched_harvest_open(self);
	if (r == 0)
		r = sched_events_open(self);
	return r;
}

static bool has_counted_a_wait(const struct sched *self)
{
	const uint64_t n_records = (uint64_t)self->n_cpus * self->slots.n_slots;

	for (uint64_t i = 0; i < n_records; i++)
		for (size_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++)
			if (__atomic_load_n(&self->records[i].runq[bucket], __ATOMIC_RELAXED))
				return true;
	return false;
}

/*
 * Whether last_queued is stamped cannot be read off the type information. So sleep and
 * see: the end of each sleep of ours is a wait of ours.
 */
static int self_check(const struct sched *self)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};

	for (int tries = 0; tries < 100; tries++) {
		for (int i = 0; i < 10; i++)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, NULL);
		if (has_counted_a_wait(self))
			return 0;
	}
	return -EOPNOTSUPP;
}

static int root_cgroup_id(const struct cgroup_table *cgroups, uint64_t *ret_id)
{
	struct stat root;

	if (!cgroups) {
		*ret_id = 0;
		return 0;
	}
	if (stat(cgroup_table_mode(cgroups)->cpu_root, &root) < 0)
		return -errno;
	*ret_id = root.st_ino;
	return 0;
}

/* What is remembered of cgroups by address is right only while these tell of every new one. */
static int attach_generation(struct sched *self, struct collector_report *report)
{
	struct sched_bpf *skel = self->skel;
	int r;

	skel->links.cgroup_came = bpf_program__attach(skel->progs.cgroup_came);
	if (skel->links.cgroup_came)
		skel->links.cgroup_went = bpf_program__attach(skel->progs.cgroup_went);
	if (skel->links.cgroup_went)
		return 0;
	r = -errno;
	bpf_env_report_refused(report, "the hooks on cgroup_mkdir and cgroup_rmdir", r);
	return r;
}

static int start(struct sched *self, struct collector_report *report)
{
	uint64_t root_id = 0;
	uint32_t n_slots;
	int r;

	r = libbpf_num_possible_cpus();
	if (r < 0)
		return r;
	self->n_cpus = (uint32_t)r;
	n_slots = cgroup_slots_for(self->n_cpus, ROW_BYTES,
				   self->cgroups ? cgroup_table_size(self->cgroups) : 0);
	r = root_cgroup_id(self->cgroups, &root_id);
	if (r < 0)
		return r;
	r = sched_load(self, n_slots);
	if (r < 0) {
		bpf_env_report_refused(report, "the scheduler program", r);
		return r;
	}
	r = map_rows(self, n_slots, root_id);
	if (r < 0)
		return r;
	/* Before attach: what runs now is counted from now on, not from when it got its CPU. */
	r = sched_fold_running(self);
	if (r < 0)
		return r;
	r = attach_generation(self, report);
	if (r < 0)
		return r;
	self->skel->links.sched_switch = bpf_program__attach(self->skel->progs.sched_switch);
	if (!self->skel->links.sched_switch) {
		r = -errno;
		bpf_env_report_refused(report, "the hook on sched_switch", r);
		return r;
	}
	/* Without it, what a task waited before a migration is nobody's; so it is no reason to fail. */
	self->skel->links.sched_migrate_task =
		bpf_program__attach(self->skel->progs.sched_migrate_task);
	r = self_check(self);
	if (r < 0)
		collector_report_set(report, COLLECTOR_UNSUPPORTED,
				     "the kernel does not stamp sched_info.last_queued (no switch "
				     "within 1 s had it): it must be built "
				     "with CONFIG_SCHED_INFO=y");
	return r;
}

static int sched_open(const struct config *config, struct cgroup_table *cgroups, void **ret_state,
		      struct collector_report *ret_report)
{
	cleanup(sched_closep) struct sched *self = NULL;
	struct collector_report report = {.state = COLLECTOR_OK};
	int r;

	(void)config;
	r = check_kernel(&report);
	if (r < 0) {
		*ret_report = report;
		return r;
	}
	self = calloc(1, sizeof(*self));
	if (!self)
		return -ENOMEM;
	self->cgroups = cgroups;
	self->slots.free_fd = -1;
	r = start(self, &report);
	if (r < 0) {
		if (report.state == COLLECTOR_OK)
			collector_report_set(&report, COLLECTOR_FAILED, "could not start: %s",
					     strerror(-r));
		*ret_report = report;
		return r;
	}
	report.map_bytes = self->map_bytes;
	collector_report_set(&report, COLLECTOR_OK,
			     "sched_switch attached: %u slots x %u CPUs, %.1f MiB of maps",
			     self->slots.n_slots, self->n_cpus,
			     (double)self->map_bytes / (1024.0 * 1024.0));
	*ret_report = report;
	*ret_state = take_ptr(self);
	return 0;
}

static int sched_check(struct collector_report *ret_report)
{
	void *state = NULL;
	const int r = sched_open(NULL, NULL, &state, ret_report);

	if (r == 0)
		sched_close(state);
	return r;
}

const struct collector sched_collector = {
	.name = "sched",
	.open = sched_open,
	.read = sched_read,
	.descriptor = sched_descriptor,
	.drain = sched_drain,
	.optional_parts = sched_optional_parts,
	.set_level = sched_set_level,
	.close = sched_close,
	.check = sched_check,
};
