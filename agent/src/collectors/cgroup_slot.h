#pragma once

/*
 * A slot is the dense number under which the kernel side counts one cgroup. Both sides
 * include this file. BPF gives slots out; only user space takes them back
 * (cgroup_slots.c), well after the cgroup went.
 */
#include <linux/types.h>

enum {
	SLOT_NONE = 0,	    /* of a css id: not given out yet */
	SLOT_IDLE = 0,	    /* of a CPU's time: it runs, never waits and belongs to nobody */
	SLOT_AUTOGROUP = 1, /* tasks of the root cgroup on hosts with sched_autogroup_enabled */
	SLOT_OVERFLOW = 2,  /* every cgroup that found no free slot */
	SLOT_FIRST = 3,
};

/* css ids are dense: a host with more than 16,383 cpu cgroups at once counts the rest as overflow. */
#define SLOT_CSS_IDS 16384

/*
 * What a css id leads to: the slot, and whose. css ids are reused at once, so the serial
 * number, which never is, says whether the slot is this cgroup's or its forerunner's.
 */
#define SLOT_CELL_BITS 16

static inline __u64 slot_cell(__u64 css_serial, __u32 slot)
{
	return css_serial << SLOT_CELL_BITS | slot;
}

static inline __u32 slot_in_cell(__u64 cell)
{
	return (__u32)(cell & ((1 << SLOT_CELL_BITS) - 1));
}

/* Written by BPF when the slot is given out, zeroed by user space when it is taken back. */
struct slot_owner {
	__u64 css_serial; /* 0 = free */
	__u64 cgroup_id;  /* kernfs id = inode in the cpu controller's hierarchy */
};

_Static_assert(sizeof(struct slot_owner) == 16, "shared with BPF");
