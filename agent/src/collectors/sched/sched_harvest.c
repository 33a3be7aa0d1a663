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
		for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
			const uint64_t row = (uint64_t)cpu * self->slots.n_slots + slot;

			memset(&self->records[row], 0, sizeof(*self->records));
			memset(&self->throttles[row], 0, sizeof(*self->throttles));
		}
		memset(&self->shifts[slot], 0, sizeof(*self->shifts));
		memset(&self->limits[slot], 0, sizeof(*self->limits));
	}
}

static void clear_block(const struct sched *self, struct sched_block *block)
{
	const uint32_t key = block->key, first = sched_block_first_waiter(key);
	const bool runs_no_more = self->slots.is_marked[sched_block_runner(key)];

	if (key == 0)
		return;
	for (uint32_t at = 0; at < SCHED_CHUNK; at++) {
		if (!runs_no_more && !self->slots.is_marked[first + at])
			continue;
		self->retired_ns[first + at] += block->wait_ns[at];
		block->wait_ns[at] = 0;
		block->preemptions[at] = 0;
		block->preemptions_high[at] = 0;
	}
	if (runs_no_more)
		__atomic_store_n(&block->key, 0, __ATOMIC_RELEASE);
}

static void clear_pairs(const struct sched *self)
{
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
		for (uint32_t i = 0; i < self->n_blocks; i++)
			clear_block(self, &sched_blocks_of(self, cpu)[i]);
}

static void forget_retired(struct sched *self)
{
	for (uint32_t slot = SLOT_FIRST; slot < self->slots.n_slots; slot++)
		if (self->slots.is_marked[slot])
			self->retired_ns[slot] = 0;
}

/* No CPU writes to a marked slot's rows, nor as a waiter to its pairs (cgroup_slots.h). */
static int take_back(struct sched *self, uint64_t now_ns)
{
	int r;

	if (self->slots.n_marked == 0)
		return 0;
	r = cgroup_slots_detach(&self->slots);
	if (r < 0)
		return r;
	__atomic_fetch_add(&self->skel->bss->generation, 1, __ATOMIC_SEQ_CST);
	clear_pairs(self);
	forget_retired(self);
	zero_records(self);
	cgroup_slots_rest(&self->slots, now_ns);
	return 0;
}

/* While a number rested, waits from before may still have been charged to it. */
static int give_out(struct sched *self, uint64_t now_ns)
{
	cgroup_slots_mark_rested(&self->slots, now_ns);
	if (self->slots.n_marked == 0)
		return 0;
	clear_pairs(self);
	forget_retired(self);
	return cgroup_slots_release(&self->slots);
}

int sched_reclaim(struct sched *self, uint64_t now_ns)
{
	const int r = take_back(self, now_ns);

	return r < 0 ? r : give_out(self, now_ns);
}

static void keep_final(struct sched *self)
{
	sched_read_pairs(self, &self->final, true);
	for (uint32_t slot = SLOT_FIRST; slot < self->slots.n_slots; slot++) {
		struct sched_counters counters;
		uint64_t cgroup_id;

		if (!self->slots.is_marked[slot] ||
		    !cgroup_slots_owner(&self->slots, slot, &cgroup_id))
			continue;
		sched_read_slot(self, slot, &counters);
		sched_add_row(&self->final, cgroup_id, &counters);
	}
}

static int harvest(struct sched *self)
{
	struct timespec now;
	int r;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (self->final.n_cgroups + self->slots.n_slots <= FINAL_CGROUPS)
		cgroup_slots_mark_released(&self->slots, self->cgroups);
	if (self->slots.n_marked != 0) {
		r = sched_fold_running(self);
		if (r < 0)
			return r;
		keep_final(self);
	}
	return sched_reclaim(self, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

int sched_drain(void *state, const struct collector_sink *sink)
{
	struct sched *self = state;
	const int r = sched_events_hear(self, sink);

	if (r < 0)
		return r;
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
