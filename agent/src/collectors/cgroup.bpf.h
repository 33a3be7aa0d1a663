#pragma once

/*
 * Task -> slot of its cgroup in the cpu controller's hierarchy. That css is where quota
 * and shares live, and it is right on v1, hybrid and v2; the default hierarchy's id is
 * the same for all containers of a hybrid host.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "collectors/cgroup_slot.h"
#include "collectors/kernel_types.bpf.h"

/* By css id: slot_cell(). Read at every switch, written when a cgroup is first seen. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SLOT_CSS_IDS);
	__type(key, __u32);
	__type(value, __u64);
} slot_by_css SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized to the number of slots */
	__type(key, __u32);
	__type(value, struct slot_owner);
} slot_owners SEC(".maps");

/* Filled by user space at start and at reclaim. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1); /* resized to the number of slots */
	__type(value, __u32);
} free_slots SEC(".maps");

/*
 * First switch of a cgroup, possibly on several CPUs at once: the owner is written before
 * the slot is published, and the CPU that loses the exchange gives its slot back, so that
 * one cgroup never holds two.
 */
static __noinline __u32 slot_allocate(const struct cgroup_subsys_state *css, __u64 *by_css,
				      __u64 seen)
{
	const __u64 serial = css->serial_nr, overflow = slot_cell(serial, SLOT_OVERFLOW);
	struct slot_owner *owner;
	__u32 fresh;
	__u64 now;

	if (bpf_map_pop_elem(&free_slots, &fresh)) {
		/* Sticky until user space has slots again, else every switch would try the stack. */
		__sync_val_compare_and_swap(by_css, seen, overflow);
		return SLOT_OVERFLOW;
	}
	owner = bpf_map_lookup_elem(&slot_owners, &fresh);
	if (!owner)
		return SLOT_OVERFLOW;
	owner->cgroup_id = css->cgroup->kn->id;
	owner->css_serial = serial;

	now = __sync_val_compare_and_swap(by_css, seen, slot_cell(serial, fresh));
	if (now == seen)
		return fresh;

	owner->css_serial = 0;
	owner->cgroup_id = 0;
	bpf_map_push_elem(&free_slots, &fresh, BPF_ANY);
	return slot_in_cell(now);
}

static __always_inline __u32 cgroup_slot(const struct task_struct *task)
{
	const struct cgroup_subsys_state *css = &task->sched_task_group->css;
	__u32 css_id = (__u32)css->id;
	__u64 *by_css, cell;

	if (css_id == 0)
		return SLOT_AUTOGROUP;
	by_css = bpf_map_lookup_elem(&slot_by_css, &css_id);
	if (!by_css)
		return SLOT_OVERFLOW;
	cell = *(volatile __u64 *)by_css;
	if (slot_cell(css->serial_nr, slot_in_cell(cell)) == cell)
		return slot_in_cell(cell);
	return slot_allocate(css, by_css, cell);
}
