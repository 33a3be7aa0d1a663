/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Births and deaths of cgroups, with the path as the kernel hands it over: whoever looks at
 * the file system afterwards is too late for a container that lived 10 ms. Attaching tasks
 * is not followed: it would cost every start a record per hierarchy, and nobody asks for it.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "collectors/kernel_types.bpf.h"
#include "collectors/lifecycle/lifecycle_record.h"

const volatile int hierarchy_id = 0; /* of the cpu controller; 0 = the v2 tree */

__u64 n_runs[LIFECYCLE_N_KINDS];
__u64 n_lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, LIFECYCLE_RING_BYTES);
} events SEC(".maps");

/* Too large for the stack. Hooks do not nest: the kernel calls them under a lock of its own. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lifecycle_record);
} scratch SEC(".maps");

/* Only births are urgent: their names may be gone soon. The rest waits for company. */
static __always_inline __u64 wakeup(__u32 kind)
{
	if (kind == LIFECYCLE_BORN || bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) >
					      bpf_ringbuf_query(&events, BPF_RB_RING_SIZE) / 4)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static __always_inline int tell(const struct cgroup *cgroup, __u32 kind, const char *path)
{
	const struct cgroup_subsys_state *parent = cgroup->self.parent;
	struct lifecycle_record *record;
	long path_length = 0;
	__u32 zero = 0;

	if (cgroup->root->hierarchy_id != hierarchy_id)
		return 0;
	__sync_fetch_and_add(&n_runs[kind], 1);
	record = bpf_map_lookup_elem(&scratch, &zero);
	if (!record)
		return 0;
	record->cgroup_id = cgroup->kn->id;
	record->parent_id = parent ? parent->cgroup->kn->id : 0;
	record->at_ns = bpf_ktime_get_ns();
	record->kind = kind;
	if (path)
		path_length = bpf_probe_read_kernel_str(record->path, sizeof(record->path), path);
	if (path_length < 0 || path_length > LIFECYCLE_PATH_SIZE)
		path_length = 0;
	record->path_length = (__u32)path_length;
	if (bpf_ringbuf_output(&events, record,
			       sizeof(*record) - sizeof(record->path) + (__u64)path_length,
			       wakeup(kind)))
		__sync_fetch_and_add(&n_lost, 1);
	return 0;
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(cgroup_mkdir, struct cgroup *cgroup, const char *path)
{
	return tell(cgroup, LIFECYCLE_BORN, path);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(cgroup_rmdir, struct cgroup *cgroup)
{
	return tell(cgroup, LIFECYCLE_DIED, NULL);
}

SEC("tp_btf/cgroup_release")
int BPF_PROG(cgroup_release, struct cgroup *cgroup)
{
	return tell(cgroup, LIFECYCLE_RELEASED, NULL);
}

SEC("tp_btf/cgroup_rename")
int BPF_PROG(cgroup_rename, struct cgroup *cgroup)
{
	return tell(cgroup, LIFECYCLE_RENAMED, NULL);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
