#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <time.h>

#include "collectors/sched/sched.h"
#include "sched.skel.h"

/* Between two reads; pages that are not used cost nothing. Who does not fit keeps its slot. */
#define FINAL_CGROUPS (2 * (size_t)SCHED_MAX_SLOTS)
#define FINAL_PAIRS   16384

int sched_harvest_open(struct sched *self)
{
	return snapshot_init(&self->final, FINAL_CGROUPS, FINAL_PAIRS);
}

void sched_harvest_close(struct sched *self)
{
	snapshot_free(&self->final);
}

static void zero_records(struct sched *self)
{
	for (uint32_t slot = SLOT_FIRST; slot < self->slots.n_slots; slot++) {
		if (!self->slots.is_marked[slot])
			continue;
		for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
			memset(&self->records[(uint64_t)cpu * self->slots.n_slots + slot], 0,
			       sizeof(*self->records));
	}
}

static int clear_pairs(const struct sched *self)
{
	struct sched_pair *cells = self->pairs->pairs;
	uint32_t n_spilled;
	int r;

	for (size_t i = 0; i < sched_n_pairs(self); i++) {
		const uint64_t key_count = __atomic_load_n(&cells[i].key_count, __ATOMIC_RELAXED);

		if (key_count != 0 &&
		    sched_names_marked(self, (uint32_t)(key_count >> SCHED_PAIR_COUNT_BITS)))
			__atomic_store_n(&cells[i].key_count, 0, __ATOMIC_RELEASE);
	}
	r = sched_read_spilled(self, &n_spilled);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n_spilled; i++) {
		if (!sched_names_marked(self, self->spilled_keys[i]))
			continue;
		r = bpf_map_delete_elem(bpf_map__fd(self->skel->maps.pairs_spilled),
					&self->spilled_keys[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* No CPU writes to a marked slot's rows, nor as a waiter to its pairs (cgroup_slots.h). */
static int take_back(struct sched *self, uint64_t now_ns)
{
	int r;

	if (self->slots.n_marked == 0)
		return 0;
	cgroup_slots_detach(&self->slots);
	zero_records(self);
	r = clear_pairs(self);
	cgroup_slots_rest(&self->slots, now_ns);
	return r;
}

/* While a number rested, waits from before may still have been charged to it. */
static int give_out(struct sched *self, uint64_t now_ns)
{
	int r;

	cgroup_slots_mark_rested(&self->slots, now_ns);
	if (self->slots.n_marked == 0)
		return 0;
	r = clear_pairs(self);
	return r < 0 ? r : cgroup_slots_release(&self->slots);
}

int sched_reclaim(struct sched *self, uint64_t now_ns)
{
	const int r = take_back(self, now_ns);

	return r < 0 ? r : give_out(self, now_ns);
}

static int keep_final(struct sched *self)
{
	int r;

	r = sched_read_pairs(self, &self->final, true);
	if (r < 0)
		return r;
	for (uint32_t slot = SLOT_FIRST; slot < self->slots.n_slots; slot++) {
		struct sched_counters counters;
		uint64_t cgroup_id;

		if (!self->slots.is_marked[slot] ||
		    !cgroup_slots_owner(&self->slots, slot, &cgroup_id))
			continue;
		sched_read_slot(self, slot, &counters);
		sched_add_row(&self->final, cgroup_id, &counters);
	}
	return 0;
}

static int harvest(struct sched *self)
{
	struct timespec now;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (self->final.n_cgroups + self->slots.n_slots <= FINAL_CGROUPS)
		cgroup_slots_mark_released(&self->slots, self->cgroups);
	if (self->slots.n_marked != 0)
		r = keep_final(self);
	if (r < 0)
		return r;
	return sched_reclaim(self, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

int sched_drain(void *state, const struct collector_sink *sink)
{
	struct sched *self = state;

	(void)sink;
	return self->cgroups && cgroup_slots_are_short(&self->slots) ? harvest(self) : 0;
}

void sched_add_final(struct sched *self, struct snapshot *snapshot)
{
	struct snapshot *final = &self->final;

	for (size_t i = 0; i < final->n_cgroups; i++)
		sched_add_row(snapshot, final->cgroups[i].cgroup_id, &final->cgroups[i].sched);
	for (size_t i = 0; i < final->n_pairs; i++)
		(void)snapshot_add_pair(snapshot, &final->pairs[i]); /* counts what it drops */
	snapshot->dropped += final->dropped;
	if (final->n_cgroups + final->n_pairs != 0)
		snapshot_reset(final, 0);
}
