#include "collectors/bpf_env.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <unistd.h>

static bool has_capability(cap_t caps, cap_value_t value)
{
	cap_flag_value_t flag = CAP_CLEAR;

	return cap_get_flag(caps, value, CAP_EFFECTIVE, &flag) == 0 && flag == CAP_SET;
}

static int check_rights(struct collector_report *report)
{
	cap_t caps = cap_get_proc();
	bool has_bpf, has_perfmon;

	if (!caps)
		return -errno;
	has_bpf = has_capability(caps, CAP_BPF) || has_capability(caps, CAP_SYS_ADMIN);
	has_perfmon = has_capability(caps, CAP_PERFMON) || has_capability(caps, CAP_SYS_ADMIN);
	cap_free(caps);
	if (has_bpf && has_perfmon)
		return 0;
	collector_report_set(report, COLLECTOR_UNSUPPORTED,
			     "missing capability %s%s%s: run as root or grant it "
			     "(AmbientCapabilities=CAP_BPF CAP_PERFMON in the unit)",
			     has_bpf ? "" : "CAP_BPF", has_bpf || has_perfmon ? "" : " and ",
			     has_perfmon ? "" : "CAP_PERFMON");
	return -EPERM;
}

int bpf_env_open(struct collector_report *report, struct btf **ret_btf)
{
	struct btf *btf;
	int r;

	libbpf_set_print(NULL); /* its warnings name no remedy; the report does */
	r = check_rights(report);
	if (r < 0)
		return r;
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		r = -errno;
		collector_report_set(
			report, COLLECTOR_UNSUPPORTED,
			"the kernel has no type information in /sys/kernel/btf/vmlinux "
			"(%s): it must be built with CONFIG_DEBUG_INFO_BTF=y",
			strerror(-r));
		return r;
	}
	*ret_btf = btf;
	return 0;
}

static bool type_has_field(const struct btf *btf, __u32 type_id, const char *field, int depth)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);

	if (!type || !btf_is_composite(type) || depth == 0)
		return false;
	for (__u16 i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		const char *name = btf__name_by_offset(btf, member->name_off);

		if (name && strcmp(name, field) == 0)
			return true;
		/* RANDSTRUCT kernels wrap the fields of task_struct in an unnamed structure. */
		if ((!name || !*name) && type_has_field(btf, member->type, field, depth - 1))
			return true;
	}
	return false;
}

bool bpf_env_has_field(const struct btf *btf, const char *structure, const char *field)
{
	const __s32 type_id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);

	return type_id > 0 && type_has_field(btf, (__u32)type_id, field, 4);
}

void bpf_env_report_refused(struct collector_report *report, const char *what, int error)
{
	const enum collector_state state =
		error == -ENOMEM ? COLLECTOR_FAILED : COLLECTOR_UNSUPPORTED;

	switch (error) {
	case -EPERM:
		collector_report_set(
			report, state,
			"the kernel forbids to load %s: CAP_BPF and CAP_PERFMON are "
			"there, so look for lockdown=confidentiality, a security module "
			"or a container's seccomp filter",
			what);
		return;
	case -ENOMEM:
		collector_report_set(report, state,
				     "no memory for the maps of %s: raise the memory limit of the "
				     "agent's cgroup or its RLIMIT_MEMLOCK",
				     what);
		return;
	default:
		collector_report_set(report, state,
				     "this kernel refuses %s (%s): Linux 5.15 or newer with "
				     "CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF is needed",
				     what, strerror(-error));
		return;
	}
}

int bpf_env_map(const struct bpf_map *map, void **ret_rows, uint64_t *ret_length)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t row = (bpf_map__value_size(map) + 7u) & ~7u;
	const uint64_t length = (row * bpf_map__max_entries(map) + page - 1) & ~(page - 1);
	void *rows = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (rows == MAP_FAILED)
		return -errno;
	*ret_rows = rows;
	*ret_length = length;
	return 0;
}

int bpf_env_add_cost(int program_fd, struct collector_report *report)
{
	struct collector_program *cost;
	struct bpf_prog_info info = {};
	__u32 length = sizeof(info);
	int r;

	if (report->n_programs == COLLECTOR_MAX_PROGRAMS)
		return -ENOSPC;
	r = bpf_obj_get_info_by_fd(program_fd, &info, &length);
	if (r < 0)
		return r;
	cost = &report->programs[report->n_programs++];
	(void)snprintf(cost->name, sizeof(cost->name), "%s", info.name);
	cost->fd = program_fd;
	cost->run_count = info.run_cnt;
	report->lost += info.recursion_misses;
	return 0;
}
