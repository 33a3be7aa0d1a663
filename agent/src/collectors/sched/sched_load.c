#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "collectors/sched/sched.h"
#include "sched.skel.h"

/* Per CPU, 128 bytes each: one for every eight neighbors of a cgroup that it waited for there. */
#define FEW_CPUS   8
#define BLOCKS_MAX 4096
#define BLOCKS_MIN 1024

static int resize(struct bpf_map *map, uint64_t rows, uint64_t *bytes)
{
	*bytes += rows * bpf_map__value_size(map);
	return bpf_map__set_max_entries(map, (__u32)rows);
}

static int resize_vectors(struct bpf_map *map, uint64_t rows, uint32_t size, uint64_t *bytes)
{
	const int r = bpf_map__set_value_size(map, size);

	return r < 0 ? r : resize(map, rows, bytes);
}

static int size_timelines(struct sched *self, uint32_t n_slots)
{
	const struct sched_bpf *skel = self->skel;
	int r;

	self->lane_bytes = sizeof(struct sched_lane) + self->n_blocks * sizeof(struct sched_block);
	r = resize_vectors(skel->maps.lanes, self->n_cpus, (uint32_t)self->lane_bytes,
			   &self->map_bytes);
	if (r == 0)
		r = resize_vectors(skel->maps.clock_copies,
				   (uint64_t)self->n_cpus * (SCHED_CHECKPOINTS + 1),
				   n_slots * sizeof(__u32), &self->map_bytes);
	return r;
}

int sched_load(struct sched *self, uint32_t n_slots)
{
	const uint32_t n_blocks = self->n_cpus <= FEW_CPUS ? BLOCKS_MAX : BLOCKS_MIN;
	struct sched_bpf *skel = sched_bpf__open();
	int r;

	if (!skel)
		return -errno;
	self->skel = skel;
	skel->rodata->n_slots = n_slots;
	skel->rodata->n_blocks = n_blocks;
	self->n_blocks = n_blocks;
	r = size_timelines(self, n_slots);
	if (r == 0)
		r = resize(skel->maps.records, (uint64_t)self->n_cpus * n_slots, &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.throttles, (uint64_t)self->n_cpus * n_slots,
			   &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.runq_shifts, n_slots, &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.event_limits, n_slots, &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.event_drafts, self->n_cpus, &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.slot_owners, n_slots, &self->map_bytes);
	if (r == 0)
		r = resize(skel->maps.free_slots, n_slots, &self->map_bytes);
	if (r < 0)
		return r;
	self->map_bytes += sizeof(__u64) * SLOT_CSS_IDS +
			   sizeof(struct sched_seen) * SCHED_SEEN_CELLS + SCHED_EVENT_RING_BYTES;
	return sched_bpf__load(skel);
}
