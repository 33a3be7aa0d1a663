#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "collectors/bpf_env.h"
#include "collectors/sched/sched.h"
#include "sched.skel.h"
#include "window/difference.h"

int sched_fold_running(const struct sched *self)
{
	const int fd = bpf_program__fd(self->skel->progs.fold_running);

	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
		const int r = bpf_prog_test_run_opts(fd, &options);

		/* One that is busy with a migration all the while has its say at the next read. */
		if (r < 0 && r != -ENXIO) /* ENXIO: that CPU is offline, nothing runs there */
			return r;
	}
	return 0;
}

/* One writer per cell and a reader that never writes: a plain load of a whole word is enough. */
#define READ(cell) __atomic_load_n(&(cell), __ATOMIC_RELAXED)

void sched_read_slot(struct sched *self, uint32_t slot, struct sched_counters *ret)
{
	uint32_t *const shifted = ret->runq_unthrottled;

	*ret = (struct sched_counters){};
	for (size_t i = 0; i < RUNQ_BUCKETS; i++)
		shifted[i] = __atomic_load_n(&self->shifts[slot].runq[i], __ATOMIC_ACQUIRE);
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		const uint64_t row = (uint64_t)cpu * self->slots.n_slots + slot;
		struct sched_record *record = &self->records[row];
		uint64_t max_wait_ns;

		ret->ran_ns += READ(record->ran_ns);
		ret->migrated_wait_ns += READ(record->migrated_wait_ns);
		ret->throttled_out += READ(self->throttles[row].throttled_out);
		ret->throttled_own_wait_ns += READ(record->throttled_own_wait_ns);
		ret->throttled_ancestor_wait_ns += READ(record->throttled_ancestor_wait_ns);
		ret->unattributed_wait_ns += READ(record->unattributed_wait_ns);
		max_wait_ns = __atomic_exchange_n(&record->max_wait_ns, 0, __ATOMIC_RELAXED);
		if (max_wait_ns > ret->max_wait_ns)
			ret->max_wait_ns = max_wait_ns;
		for (size_t i = 0; i < RUNQ_BUCKETS; i++)
			ret->runq[i] += READ(record->runq[i]);
	}
	for (size_t i = 0; i < RUNQ_BUCKETS; i++)
		shifted[i] += ret->runq[i]; /* modulo 2^32, both of them */
	ret->idle_gap_wait_ns = self->idle_gap_ns[slot];
	ret->wait_ns = self->charged_ns[slot] + self->retired_ns[slot] +
		       ret->throttled_own_wait_ns + ret->throttled_ancestor_wait_ns +
		       ret->unattributed_wait_ns;
	ret->unattributed_wait_ns += self->nobodys_ns[slot];
}

/* Added, not assigned: an autogroup's tasks and the root cgroup's own share one id. */
void sched_add_row(struct snapshot *snapshot, uint64_t cgroup_id,
		   const struct sched_counters *counters)
{
	struct cgroup_counters *row = snapshot_cgroup(snapshot, cgroup_id);

	if (!row)
		return;
	row->has |= CGROUP_HAS_SCHED;
	sched_add(&row->sched, counters);
}

static void read_slots(struct sched *self, struct snapshot *snapshot)
{
	for (uint32_t slot = SLOT_AUTOGROUP; slot < self->slots.n_slots; slot++) {
		struct sched_counters counters;
		uint64_t cgroup_id;

		if (!cgroup_slots_owner(&self->slots, slot, &cgroup_id))
			continue;
		sched_read_slot(self, slot, &counters);
		if (counters.ran_ns + counters.wait_ns != 0 || slot >= SLOT_FIRST)
			sched_add_row(snapshot, cgroup_id, &counters);
		cgroup_slots_observe(&self->slots, slot, counters.ran_ns + counters.wait_ns,
				     self->cgroups, snapshot->taken_at_ns);
	}
}

/* Idle time and time of cgroups without a slot are nobody's doing: they stay with the waiter. */
static void add_pair(struct sched *self, struct snapshot *snapshot, uint32_t waiter,
		     uint32_t runner, uint64_t preemptions, uint64_t wait_ns)
{
	struct pair_counter pair = {.preemptions = preemptions, .wait_ns = wait_ns};

	self->charged_ns[waiter] += wait_ns;
	if (!cgroup_slots_owner(&self->slots, waiter, &pair.waiter_cgroup_id))
		return;
	if (runner == SLOT_IDLE) {
		self->idle_gap_ns[waiter] += wait_ns;
		return;
	}
	if (runner == SLOT_OVERFLOW) {
		self->nobodys_ns[waiter] += wait_ns;
		pair.wait_ns = 0;
	}
	if (pair.preemptions + pair.wait_ns != 0 &&
	    cgroup_slots_owner(&self->slots, runner, &pair.runner_cgroup_id))
		(void)snapshot_add_pair(snapshot, &pair); /* counts what it drops */
}

/* The high half is read twice, lest a carry comes in between. */
static uint64_t read_preemptions(const struct sched_block *block, size_t at)
{
	uint16_t high, again = READ(block->preemptions_high[at]);
	uint32_t low;

	do {
		high = again;
		low = __atomic_load_n(&block->preemptions[at], __ATOMIC_ACQUIRE);
		again = READ(block->preemptions_high[at]);
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

static void read_block(struct sched *self, struct snapshot *snapshot,
		       const struct sched_block *block, bool only_of_marked)
{
	const uint32_t key = __atomic_load_n(&block->key, __ATOMIC_ACQUIRE);
	const uint32_t runner = sched_block_runner(key), first = sched_block_first_waiter(key);
	const bool *is_marked = self->slots.is_marked;

	for (uint32_t at = 0; key != 0 && at < SCHED_CHUNK; at++)
		if (!only_of_marked || is_marked[runner] || is_marked[first + at])
			add_pair(self, snapshot, first + at, runner, read_preemptions(block, at),
				 READ(block->wait_ns[at]));
}

/* Short waits for tasks of one's own are counted without a block. */
static void read_own(struct sched *self, struct snapshot *snapshot, uint32_t slot)
{
	uint64_t own_wait_ns = 0;

	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
		own_wait_ns +=
			READ(self->records[(uint64_t)cpu * self->slots.n_slots + slot].own_wait_ns);
	add_pair(self, snapshot, slot, slot, 0, own_wait_ns);
}

void sched_read_pairs(struct sched *self, struct snapshot *snapshot, bool only_of_marked)
{
	memset(self->idle_gap_ns, 0, self->slots.n_slots * sizeof(*self->idle_gap_ns));
	memset(self->nobodys_ns, 0, self->slots.n_slots * sizeof(*self->nobodys_ns));
	memset(self->charged_ns, 0, self->slots.n_slots * sizeof(*self->charged_ns));
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
		for (uint32_t i = 0; i < self->n_blocks; i++)
			read_block(self, snapshot, &sched_blocks_of(self, cpu)[i], only_of_marked);
	for (uint32_t slot = SLOT_AUTOGROUP; slot < self->slots.n_slots; slot++)
		if (!only_of_marked || self->slots.is_marked[slot])
			read_own(self, snapshot, slot);
}

static void report_maps(const struct sched *self, struct collector_report *report,
			const struct sched_cpu *sums)
{
	struct collector_map *slots = &report->maps[report->n_maps++];
	struct collector_map *blocks = &report->maps[report->n_maps++];
	uint64_t cgroup_id;

	*slots = (struct collector_map){.name = "slots",
					.capacity = self->slots.n_slots,
					.failed_inserts = sums->overflow_runs};
	for (uint32_t slot = 0; slot < self->slots.n_slots; slot++)
		slots->used += cgroup_slots_owner(&self->slots, slot, &cgroup_id);
	*blocks = (struct collector_map){.name = "blocks",
					 .capacity = (uint64_t)self->n_cpus * self->n_blocks,
					 .failed_inserts = sums->lost_pairs};
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
		for (uint32_t i = 0; i < self->n_blocks; i++)
			blocks->used += READ(sched_blocks_of(self, cpu)[i].key) != 0;
}

/*
 * Only their ratio counts: a switch, and eight cgroups charged for a run. From the crowd of
 * `make bench`, with the sweep and without.
 */
#define TYPICAL_RUN_NS	  120
#define TYPICAL_CHARGE_NS 12

/* Programs are counted by themselves: the kernel's own count needs its statistics. */
static int report_programs(const struct sched *self, struct collector_report *report,
			   const struct sched_cpu *sums)
{
	const struct sched_bpf *skel = self->skel;
	struct collector_program *program = &report->programs[report->n_programs];
	int r = bpf_env_add_cost(bpf_program__fd(skel->progs.sched_switch), report);

	if (r < 0)
		return r;
	program->run_count = sums->runs;
	program->charge_count = sums->charges;
	program->typical_run_ns = TYPICAL_RUN_NS;
	program->typical_charge_ns = TYPICAL_CHARGE_NS;
	if (!skel->links.sched_migrate_task)
		return 0;
	program = &report->programs[report->n_programs];
	r = bpf_env_add_cost(bpf_program__fd(skel->progs.sched_migrate_task), report);
	if (r < 0)
		return r;
	program->run_count = sums->migrations;
	return 0;
}

static int report_on(struct sched *self, struct collector_report *report)
{
	struct sched_cpu sums = {};

	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		const struct sched_cpu *state = &sched_lane_of(self, cpu)->state;

		sums.lost_pairs += READ(state->lost_pairs);
		sums.overflow_runs += READ(state->overflow_runs);
		sums.runs += READ(state->runs);
		sums.charges += READ(state->charges);
		sums.migrations += READ(state->migrations);
		sums.events_lost += READ(state->events_lost);
		sums.events_limited += READ(state->events_limited);
	}
	report->lost += sums.lost_pairs + sums.overflow_runs;
	report->ring_lost = sums.events_lost;
	report->rate_limited = sums.events_limited;
	report_maps(self, report, &sums);
	if (sums.overflow_runs != self->overflow_runs)
		collector_report_set(report, COLLECTOR_DEGRADED,
				     "more than %u cgroups at once: the rest is counted together, "
				     "without names",
				     self->slots.n_slots - SLOT_FIRST);
	self->overflow_runs = sums.overflow_runs;
	return report_programs(self, report, &sums);
}

int sched_read(void *state, struct snapshot *snapshot, struct collector_report *ret_report)
{
	struct sched *self = state;
	struct collector_report report = {.state = COLLECTOR_OK, .map_bytes = self->map_bytes};
	int r;

	r = sched_fold_running(self);
	if (r == 0) {
		/* In this order: a cgroup's wait is the sum of what its pairs were and of the rest. */
		sched_read_pairs(self, snapshot, false);
		read_slots(self, snapshot);
		sched_add_final(self, snapshot);
		r = sched_reclaim(self, snapshot->taken_at_ns);
	}
	if (r == 0)
		r = report_on(self, &report);
	if (r < 0)
		collector_report_set(&report, COLLECTOR_FAILED, "reading its maps failed: %s",
				     strerror(-r));
	*ret_report = report;
	return r;
}
