#pragma once

/* Inner header of the sched collector: its state, shared by its files. */
#include <stdint.h>

#include "collectors/cgroup_slots.h"
#include "collectors/collector.h"
#include "collectors/sched/sched_record.h"

struct ring_buffer;
struct sched_bpf;

struct sched {
	struct sched_bpf *skel;
	struct cgroup_table *cgroups; /* NULL in `check` */
	uint32_t n_cpus;	      /* possible ones: rows exist for all of them */
	struct cgroup_slots slots;
	struct sched_record *records;
	uint64_t records_length;
	struct sched_throttle *throttles;
	uint64_t throttles_length;
	struct sched_shift *shifts;
	uint64_t shifts_length;
	struct sched_event_limit *limits;
	uint64_t limits_length;
	char *lanes; /* of lane_bytes each: struct sched_lane and n_blocks struct sched_block */
	uint32_t n_blocks;
	uint64_t lanes_length, lane_bytes;
	uint64_t map_bytes;
	uint64_t overflow_runs; /* at the last read */
	uint64_t *idle_gap_ns;	/* per slot, of one read: waited while the CPU was idle */
	uint64_t *nobodys_ns;	/* per slot, of one read: waited for runners without a slot */
	uint64_t *charged_ns;	/* per slot, of one read: waited for whomever */
	uint64_t *retired_ns;	/* per slot: waited for runners whose blocks were cleared since */
	struct ring_buffer *ring;
	const struct collector_sink *sink; /* only while the ring is heard */
	struct snapshot final;		   /* of slots taken back since the last read */
};

/* sched_load.c: sizes the maps, loads the programs. */
int sched_load(struct sched *self, uint32_t n_slots);

static inline struct sched_lane *sched_lane_of(const struct sched *self, uint32_t cpu)
{
	return (struct sched_lane *)(self->lanes + cpu * self->lane_bytes);
}

static inline struct sched_block *sched_blocks_of(const struct sched *self, uint32_t cpu)
{
	return (struct sched_block *)(sched_lane_of(self, cpu) + 1);
}

/* Adds the running tasks' time so far to their records, on every online CPU. */
int sched_fold_running(const struct sched *self);

int sched_read(void *state, struct snapshot *snapshot, struct collector_report *ret_report);

/* sched_read.c. All figures are cumulative. */
void sched_read_slot(struct sched *self, uint32_t slot, struct sched_counters *ret);
void sched_add_row(struct snapshot *snapshot, uint64_t cgroup_id,
		   const struct sched_counters *counters);
/* Also what of it sched_read_slot() adds. `only_of_marked`: pairs that name a marked slot. */
void sched_read_pairs(struct sched *self, struct snapshot *snapshot, bool only_of_marked);

/* sched_harvest.c: slots of cgroups that are gone are taken back without losing a count. */
int sched_harvest_open(struct sched *self);
void sched_harvest_close(struct sched *self);
/* Between two reads: only when slots get short. */
int sched_drain(void *state, const struct collector_sink *sink);
/* At a read: what was harvested since the last one; and who was read for the last time. */
void sched_add_final(struct sched *self, struct snapshot *snapshot);
int sched_reclaim(struct sched *self, uint64_t now_ns);

/* sched_events.c: long waits that are told at once, and what can be left out. */
extern const char *const sched_optional_parts[];
int sched_events_open(struct sched *self);
void sched_events_close(struct sched *self);
int sched_events_hear(struct sched *self, const struct collector_sink *sink);
int sched_descriptor(const void *state);
int sched_set_level(void *state, unsigned int level);
