#include "collectors/lifecycle/lifecycle.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cgroup/table.h"
#include "collectors/bpf_env.h"
#include "collectors/lifecycle/lifecycle_record.h"
#include "lifecycle.skel.h"

extern const struct collector lifecycle_collector;

#define PATH_OFFSET offsetof(struct lifecycle_record, path)

/* kernfs numbers its nodes from the root on. Another inode there is a cgroup namespace's root. */
#define ROOT_INODE 1

struct lifecycle {
	struct lifecycle_bpf *skel;
	struct ring_buffer *ring;
	struct cgroup_table *cgroups; /* NULL: only a check */
	uint64_t map_bytes;
	uint64_t n_lost; /* so many were known at the last drain */
	uint64_t n_malformed;
	int error; /* of the table, in this drain */
};

static void lifecycle_close(void *state)
{
	struct lifecycle *self = state;

	if (!self)
		return;
	if (self->cgroups)
		cgroup_table_follow(self->cgroups, false);
	ring_buffer__free(self->ring);
	lifecycle_bpf__destroy(self->skel);
	free(self);
}

static void lifecycle_closep(struct lifecycle **self)
{
	lifecycle_close(*self);
}

static void btf_freep(struct btf **btf)
{
	btf__free(*btf);
}

/* (data, cgroup, path): Linux before 5.0 formatted the path itself. */
static bool passes_path(const struct btf *btf, const char *typedef_name)
{
	const __s32 id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;

	type = type ? btf__type_by_id(btf, type->type) : NULL; /* the pointer */
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	return type && btf_is_func_proto(type) && btf_vlen(type) == 3;
}

static int check_kernel(struct collector_report *report)
{
	static const char *const hooks[] = {"btf_trace_cgroup_mkdir", "btf_trace_cgroup_rmdir",
					    "btf_trace_cgroup_release", "btf_trace_cgroup_rename"};
	cleanup(btf_freep) struct btf *btf = NULL;
	int r;

	r = bpf_env_open(report, &btf);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (passes_path(btf, hooks[i]))
			continue;
		collector_report_set(
			report, COLLECTOR_UNSUPPORTED,
			"this kernel's tracepoint %s does not hand over a path: names "
			"come from walking the hierarchy at every window, which misses "
			"cgroups that live shorter",
			hooks[i] + strlen("btf_trace_"));
		return -EOPNOTSUPP;
	}
	return 0;
}

/* The kernel tells paths from the hierarchy's root; ours begin at the mount. */
static int check_mount(const struct cgroup_table *cgroups, struct collector_report *report)
{
	const char *root = cgroup_table_mode(cgroups)->cpu_root;
	struct stat status;

	if (stat(root, &status) < 0)
		return -errno;
	if (status.st_ino == ROOT_INODE)
		return 0;
	collector_report_set(report, COLLECTOR_UNSUPPORTED,
			     "%s is not the root of its hierarchy: run the agent in the host's "
			     "cgroup namespace (--cgroupns=host)",
			     root);
	return -EOPNOTSUPP;
}

static int take_record(struct lifecycle *self, const struct lifecycle_record *record)
{
	switch (record->kind) {
	case LIFECYCLE_BORN:
		/* A path that was cut, or could not be read: a walk finds the whole one. */
		if (record->path_length <= 1 || record->path_length == LIFECYCLE_PATH_SIZE) {
			cgroup_table_distrust(self->cgroups);
			return 0;
		}
		return cgroup_table_born(self->cgroups, record->cgroup_id, record->parent_id,
					 record->path, record->at_ns);
	case LIFECYCLE_DIED:
		cgroup_table_died(self->cgroups, record->cgroup_id, record->at_ns);
		return 0;
	case LIFECYCLE_RELEASED:
		cgroup_table_released(self->cgroups, record->cgroup_id);
		return 0;
	case LIFECYCLE_RENAMED:
		cgroup_table_distrust(self->cgroups);
		return 0;
	default:
		self->n_malformed++;
		return 0;
	}
}

static bool is_well_formed(const struct lifecycle_record *record, size_t size)
{
	return size >= PATH_OFFSET && record->path_length <= size - PATH_OFFSET &&
	       (record->path_length == 0 || record->path[record->path_length - 1] == '\0');
}

/* Goes on after an error, so that the ring does not fill up. */
static int on_record(void *context, void *data, size_t size)
{
	struct lifecycle *self = context;
	int r;

	if (!is_well_formed(data, size)) {
		self->n_malformed++;
		cgroup_table_distrust(self->cgroups);
		return 0;
	}
	r = take_record(self, data);
	if (r < 0) {
		self->error = r;
		cgroup_table_distrust(self->cgroups);
	}
	return 0;
}

static int load(struct lifecycle *self, uint32_t ring_bytes, uint32_t hierarchy_id)
{
	struct lifecycle_bpf *skel = lifecycle_bpf__open();
	int r;

	if (!skel)
		return -errno;
	self->skel = skel;
	skel->rodata->hierarchy_id = (int)hierarchy_id;
	r = bpf_map__set_max_entries(skel->maps.events, ring_bytes);
	if (r == 0)
		r = lifecycle_bpf__load(skel);
	if (r == 0)
		r = lifecycle_bpf__attach(skel);
	self->map_bytes =
		ring_bytes + (uint64_t)libbpf_num_possible_cpus() * sizeof(struct lifecycle_record);
	return r;
}

static int start(struct lifecycle *self, uint32_t ring_bytes, struct collector_report *report)
{
	uint32_t hierarchy_id;
	int r;

	r = cgroup_hierarchy_id("/proc/self/cgroup", &hierarchy_id);
	if (r < 0)
		return r;
	r = load(self, ring_bytes, hierarchy_id);
	if (r < 0) {
		bpf_env_report_refused(report, "the cgroup lifecycle programs", r);
		return r;
	}
	self->ring = ring_buffer__new(bpf_map__fd(self->skel->maps.events), on_record, self, NULL);
	if (!self->ring)
		return -errno;
	/* Also asks for a walk: who was born before the hooks were there is not told. */
	if (self->cgroups)
		cgroup_table_follow(self->cgroups, true);
	return 0;
}

int lifecycle_open_ring(uint32_t ring_bytes, struct cgroup_table *cgroups, void **ret_state,
			struct collector_report *ret_report)
{
	cleanup(lifecycle_closep) struct lifecycle *self = calloc(1, sizeof(*self));
	struct collector_report report = {.state = COLLECTOR_OK};
	int r;

	if (!self)
		return -ENOMEM;
	self->cgroups = cgroups;
	r = check_kernel(&report);
	if (r == 0 && cgroups)
		r = check_mount(cgroups, &report);
	if (r == 0)
		r = start(self, ring_bytes, &report);
	if (r < 0) {
		if (report.state == COLLECTOR_OK)
			collector_report_set(&report, COLLECTOR_FAILED, "could not start: %s",
					     strerror(-r));
		*ret_report = report;
		return r;
	}
	report.map_bytes = self->map_bytes;
	collector_report_set(&report, COLLECTOR_OK,
			     "cgroup births and deaths attached, ring of %u KiB",
			     ring_bytes / 1024);
	*ret_report = report;
	*ret_state = take_ptr(self);
	return 0;
}

static int lifecycle_open(const struct config *config, struct cgroup_table *cgroups,
			  void **ret_state, struct collector_report *ret_report)
{
	(void)config;
	return lifecycle_open_ring(LIFECYCLE_RING_BYTES, cgroups, ret_state, ret_report);
}

static int lifecycle_descriptor(const void *state)
{
	const struct lifecycle *self = state;

	return bpf_map__fd(self->skel->maps.events);
}

static uint64_t count_lost(const struct lifecycle *self)
{
	return __atomic_load_n(&self->skel->bss->n_lost, __ATOMIC_RELAXED);
}

static int lifecycle_drain(void *state, const struct collector_sink *sink)
{
	struct lifecycle *self = state;
	uint64_t n_lost;
	int r;

	(void)sink;
	self->error = 0;
	r = ring_buffer__consume(self->ring);
	n_lost = count_lost(self);
	if (n_lost != self->n_lost)
		cgroup_table_distrust(self->cgroups);
	self->n_lost = n_lost;
	return r < 0 ? r : self->error;
}

static int add_programs(const struct lifecycle *self, struct collector_report *report)
{
	const struct lifecycle_bpf *skel = self->skel;
	const struct {
		const struct bpf_program *program;
		enum lifecycle_kind kind;
	} programs[] = {
		{skel->progs.cgroup_mkdir, LIFECYCLE_BORN},
		{skel->progs.cgroup_rmdir, LIFECYCLE_DIED},
		{skel->progs.cgroup_release, LIFECYCLE_RELEASED},
		{skel->progs.cgroup_rename, LIFECYCLE_RENAMED},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const int r = bpf_env_add_cost(bpf_program__fd(programs[i].program), report);

		if (r < 0)
			return r;
		report->programs[report->n_programs - 1].run_count =
			__atomic_load_n(&skel->bss->n_runs[programs[i].kind], __ATOMIC_RELAXED);
	}
	return 0;
}

static void add_map(struct collector_report *report, const char *name, uint64_t used,
		    uint64_t capacity, uint64_t failed_inserts)
{
	struct collector_map *map = &report->maps[report->n_maps++];

	(void)snprintf(map->name, sizeof(map->name), "%s", name);
	map->used = used;
	map->capacity = capacity;
	map->failed_inserts = failed_inserts;
}

static int lifecycle_read(void *state, struct snapshot *snapshot,
			  struct collector_report *ret_report)
{
	const struct lifecycle *self = state;
	struct collector_report report = {.state = COLLECTOR_OK, .map_bytes = self->map_bytes};
	const int r = add_programs(self, &report);

	(void)snapshot; /* it counts nothing of a cgroup; it says who they are */
	if (r < 0)
		return r;
	report.ring_lost = self->n_lost;
	report.lost += self->n_lost + self->n_malformed;
	add_map(&report, "cgroup names", cgroup_table_size(self->cgroups),
		cgroup_table_capacity(self->cgroups), cgroup_table_dropped(self->cgroups));
	*ret_report = report;
	return 0;
}

static int lifecycle_check(struct collector_report *ret_report)
{
	void *state = NULL;
	const int r = lifecycle_open_ring(LIFECYCLE_RING_BYTES, NULL, &state, ret_report);

	if (r == 0)
		lifecycle_close(state);
	return r;
}

const struct collector lifecycle_collector = {
	.name = "lifecycle",
	.open = lifecycle_open,
	.read = lifecycle_read,
	.close = lifecycle_close,
	.check = lifecycle_check,
	.descriptor = lifecycle_descriptor,
	.drain = lifecycle_drain,
};
