#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "collectors/bpf_env.h"
#include "collectors/sched/sched.h"
#include "sched.skel.h"

int sched_fold_running(const struct sched *self)
{
	const int fd = bpf_program__fd(self->skel->progs.fold_running);

	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);
		const int r = bpf_prog_test_run_opts(fd, &options);

		if (r < 0 && r != -ENXIO) /* ENXIO: that CPU is offline, nothing runs there */
			return r;
	}
	return 0;
}

/* One writer per cell and a reader that never writes: a plain load of a whole word is enough. */
#define READ(cell) __atomic_load_n(&(cell), __ATOMIC_RELAXED)

static void read_slot(struct sched *self, uint32_t slot, struct sched_counters *ret)
{
	struct sched_runq *runq = &self->runq[slot];
	uint32_t sums[RUNQ_BUCKETS] = {};

	*ret = (struct sched_counters){};
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		const struct sched_record *record =
			&self->records[(uint64_t)cpu * self->slots.n_slots + slot];

		ret->ran_ns += READ(record->ran_ns);
		ret->wait_ns += READ(record->wait_ns);
		ret->migrated_wait_ns += READ(record->migrated_wait_ns);
		ret->throttled_out += READ(record->throttled_out);
		for (size_t i = 0; i < RUNQ_BUCKETS; i++)
			sums[i] += READ(record->runq[i]);
	}
	for (size_t i = 0; i < RUNQ_BUCKETS; i++) {
		runq->total[i] += (uint32_t)(sums[i] - runq->seen[i]);
		runq->seen[i] = sums[i];
		ret->runq[i] = runq->total[i];
		ret->wait_count += runq->total[i];
	}
}

/* Added, not assigned: an autogroup's tasks and the root cgroup's own share one id. */
static void add_to_snapshot(struct snapshot *snapshot, uint64_t cgroup_id,
			    const struct sched_counters *counters)
{
	struct cgroup_counters *row = snapshot_cgroup(snapshot, cgroup_id);

	if (!row)
		return;
	row->has |= CGROUP_HAS_SCHED;
	row->sched.ran_ns += counters->ran_ns;
	row->sched.wait_ns += counters->wait_ns;
	row->sched.wait_count += counters->wait_count;
	row->sched.migrated_wait_ns += counters->migrated_wait_ns;
	row->sched.throttled_out += counters->throttled_out;
	for (size_t i = 0; i < RUNQ_BUCKETS; i++)
		row->sched.runq[i] += counters->runq[i];
}

static void read_slots(struct sched *self, struct snapshot *snapshot)
{
	for (uint32_t slot = SLOT_AUTOGROUP; slot < self->slots.n_slots; slot++) {
		struct sched_counters counters;
		uint64_t cgroup_id;

		if (!cgroup_slots_owner(&self->slots, slot, &cgroup_id))
			continue;
		read_slot(self, slot, &counters);
		if (counters.ran_ns + counters.wait_ns != 0 || slot >= SLOT_FIRST)
			add_to_snapshot(snapshot, cgroup_id, &counters);
		cgroup_slots_observe(&self->slots, slot, counters.ran_ns + counters.wait_ns,
				     self->cgroups, snapshot->taken_at_ns);
	}
}

static void add_pair(const struct sched *self, struct snapshot *snapshot, uint32_t key,
		     uint64_t count)
{
	uint64_t prev_id, next_id;

	if (cgroup_slots_owner(&self->slots, key >> 16, &prev_id) &&
	    cgroup_slots_owner(&self->slots, key & 0xffff, &next_id))
		(void)snapshot_add_pair(snapshot,
					&(struct pair_counter){prev_id, next_id, count,
							       0}); /* counts what it drops */
}

static size_t n_pairs(const struct sched *self)
{
	return (size_t)self->n_cpus * SCHED_PAIR_SETS * SCHED_PAIR_WAYS;
}

/* The hash map in one call: 96 CPUs never have it empty, and one call per key costs a microsecond. */
static int read_spilled(const struct sched *self, uint32_t *ret_count)
{
	const int fd = bpf_map__fd(self->skel->maps.pairs_spilled);
	uint32_t count = SCHED_SPILLED_PAIRS, cursor = 0;
	const int r = bpf_map_lookup_batch(fd, NULL, &cursor, self->spilled_keys,
					   self->spilled_counts, &count, NULL);

	if (r < 0 && r != -ENOENT) /* ENOENT: that was the last batch */
		return r;
	*ret_count = count;
	return 0;
}

static int read_pairs(const struct sched *self, struct snapshot *snapshot)
{
	const struct sched_pair *cells = self->pairs->pairs;
	uint32_t n_spilled;
	int r;

	for (size_t i = 0; i < n_pairs(self); i++) {
		const uint32_t key = __atomic_load_n(&cells[i].key, __ATOMIC_ACQUIRE);

		if (key != 0)
			add_pair(self, snapshot, key, READ(cells[i].count));
	}
	r = read_spilled(self, &n_spilled);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n_spilled; i++)
		add_pair(self, snapshot, self->spilled_keys[i], self->spilled_counts[i]);
	return 0;
}

static bool names_marked(const struct sched *self, uint32_t key)
{
	return self->slots.is_marked[key >> 16] || self->slots.is_marked[key & 0xffff];
}

/* No CPU writes to a marked slot's rows or to a pair that names it (cgroup_slots.h). */
static int reclaim(struct sched *self)
{
	struct sched_pair *cells = self->pairs->pairs;
	uint32_t n_spilled;
	int r;

	if (self->slots.n_marked == 0)
		return 0;
	cgroup_slots_detach(&self->slots);
	for (uint32_t slot = SLOT_FIRST; slot < self->slots.n_slots; slot++) {
		if (!self->slots.is_marked[slot])
			continue;
		for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++)
			memset(&self->records[(uint64_t)cpu * self->slots.n_slots + slot], 0,
			       sizeof(*self->records));
		self->runq[slot] = (struct sched_runq){};
	}
	for (size_t i = 0; i < n_pairs(self); i++) {
		if (READ(cells[i].key) != 0 && names_marked(self, cells[i].key))
			__atomic_store_n(&cells[i].key, 0, __ATOMIC_RELEASE);
	}
	r = read_spilled(self, &n_spilled);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n_spilled; i++) {
		if (!names_marked(self, self->spilled_keys[i]))
			continue;
		r = bpf_map_delete_elem(bpf_map__fd(self->skel->maps.pairs_spilled),
					&self->spilled_keys[i]);
		if (r < 0)
			return r;
	}
	return cgroup_slots_release(&self->slots);
}

static void report_losses(struct sched *self, struct collector_report *report)
{
	uint64_t lost_pairs = 0, overflow_runs = 0;

	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		lost_pairs += READ(self->cpus[cpu].lost_pairs);
		overflow_runs += READ(self->cpus[cpu].overflow_runs);
	}
	report->lost += lost_pairs + overflow_runs;
	if (overflow_runs != self->overflow_runs)
		collector_report_set(report, COLLECTOR_DEGRADED,
				     "more than %u cgroups at once: the rest is counted together, "
				     "without names",
				     self->slots.n_slots - SLOT_FIRST);
	self->overflow_runs = overflow_runs;
}

int sched_read(void *state, struct snapshot *snapshot, struct collector_report *ret_report)
{
	struct sched *self = state;
	struct collector_report report = {.state = COLLECTOR_OK, .map_bytes = self->map_bytes};
	int r;

	r = sched_fold_running(self);
	if (r == 0) {
		read_slots(self, snapshot);
		r = read_pairs(self, snapshot);
	}
	if (r == 0)
		r = reclaim(self);
	if (r == 0)
		r = bpf_env_add_cost(bpf_program__fd(self->skel->progs.sched_switch), &report);
	if (r < 0)
		collector_report_set(&report, COLLECTOR_FAILED, "reading its maps failed: %s",
				     strerror(-r));
	else
		report_losses(self, &report);
	*ret_report = report;
	return r;
}
