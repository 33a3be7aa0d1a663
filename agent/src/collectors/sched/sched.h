#pragma once

/* Inner header of the sched collector: its state, shared by sched.c and sched_read.c. */
#include <stdint.h>

#include "collectors/cgroup_slots.h"
#include "collectors/collector.h"
#include "collectors/sched/sched_record.h"

struct sched_bpf;

struct sched {
	struct sched_bpf *skel;
	struct cgroup_table *cgroups; /* NULL in `check` */
	uint32_t n_cpus;	      /* possible ones: rows exist for all of them */
	struct cgroup_slots slots;
	struct sched_record *records;
	uint64_t records_length;
	struct sched_pair_set *pairs;
	uint64_t pairs_length;
	struct sched_cpu *cpus;
	uint64_t cpus_length;
	uint64_t map_bytes;
	uint64_t overflow_runs; /* at the last read */
	uint32_t *spilled_keys; /* scratch for one batched lookup */
	struct sched_spilled *spilled;
	uint64_t *idle_gap_ns; /* per slot, of one read: waited while the CPU was idle */
	uint64_t *nobodys_ns;  /* per slot, of one read: waited for runners without a slot */
};

/* Adds the running tasks' time so far to their records, on every online CPU. */
int sched_fold_running(const struct sched *self);

int sched_read(void *state, struct snapshot *snapshot, struct collector_report *ret_report);
