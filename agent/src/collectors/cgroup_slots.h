#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/cgroup_slot.h"

struct bpf_map;
struct cgroup_table;

/*
 * The user side of cgroup.bpf.h: knows who owns which slot and takes slots back, once no task
 * can count there any more: when the kernel has let go of the cgroup (struct cgroup's
 * is_released), or where nobody tells of that, when it has been gone and its counters quiet
 * for SLOT_RECLAIM_AFTER_NS.
 *
 * A number that was taken back rests before it is given out again, because the kernel side
 * remembers for as long who ran under it: a wait from before must not be charged to the new
 * owner. Only when slots get short it is given out earlier, the longest rested first.
 */
#define SLOT_RECLAIM_AFTER_NS (35 * UINT64_C(1000000000))

struct cgroup_slots {
	uint32_t n_slots;
	const struct bpf_map *by_css; /* large: in our memory only while it is written to */
	struct slot_owner *owners;
	uint64_t owners_length;
	int free_fd;
	uint64_t root_cgroup_id;  /* whose tasks an autogroup holds */
	uint64_t *quiet_since_ns; /* per slot: gone and quiet since; 0 = in use */
	uint64_t *activity;	  /* per slot: sum of its counters at the last read */
	uint64_t *rests_since_ns; /* per slot: taken back, not given out yet; 0 = neither */
	bool *is_marked;	  /* per slot: to be taken back, or given out, now */
	uint32_t n_marked;
};

/*
 * Memory of the maps is sized by this; call before load, with the possible CPUs, the bytes
 * per CPU and slot, and the cgroups there are now. A power of two, at least half as many
 * again as these.
 */
uint32_t cgroup_slots_for(uint32_t n_cpus, uint32_t row_size, size_t n_cgroups);

int cgroup_slots_open(struct cgroup_slots *self, uint32_t n_slots, uint64_t root_cgroup_id,
		      const struct bpf_map *by_css, const struct bpf_map *owners,
		      const struct bpf_map *free_slots);
void cgroup_slots_close(struct cgroup_slots *self);

/* False for a slot that nobody has. The overflow slot's cgroup id is 0, which has no name. */
bool cgroup_slots_owner(const struct cgroup_slots *self, uint32_t slot, uint64_t *ret_cgroup_id);

/* Fewer than a quarter of the slots can be had at once. */
bool cgroup_slots_are_short(const struct cgroup_slots *self);

/*
 * Called once per read for every slot in use, with the sum of its counters. Marks the
 * slot when it may be taken back.
 */
void cgroup_slots_observe(struct cgroup_slots *self, uint32_t slot, uint64_t activity,
			  const struct cgroup_table *cgroups, uint64_t now_ns);

/* Between two reads: marks those of released cgroups only. */
void cgroup_slots_mark_released(struct cgroup_slots *self, const struct cgroup_table *cgroups);

/*
 * Taking back all marked slots: after detach no css id leads to them; then the caller zeroes
 * its rows of every slot with is_marked; after rest none is marked.
 */
int cgroup_slots_detach(struct cgroup_slots *self);
void cgroup_slots_rest(struct cgroup_slots *self, uint64_t now_ns);

/*
 * Giving slots out again: marks those that have rested; then the caller clears what was
 * counted under these numbers meanwhile; release hands them to the kernel side.
 */
void cgroup_slots_mark_rested(struct cgroup_slots *self, uint64_t now_ns);
int cgroup_slots_release(struct cgroup_slots *self);
