#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "window/difference.h"

extern const struct collector sched_collector;

/* Ends the program without the file: the analyzer does not know that an assertion ends the test. */
static FILE *rig_open_file(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		print_error("%s: %s\n", path, strerror(errno));
		abort();
	}
	return file;
}

uint64_t rig_number_after(const char *path, const char *key)
{
	FILE *file = rig_open_file(path);
	char line[256];
	uint64_t number = 0;
	const char *end;

	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			assert_int_equal(
				parse_u64(line + strlen(key) + strspn(line + strlen(key), " \t"),
					  UINT64_MAX, &end, &number),
				0);
	fclose(file);
	return number;
}

void rig_read_at(struct rig *self, struct snapshot *snapshot, uint64_t taken_at_ns)
{
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	snapshot_reset(snapshot, taken_at_ns);
	assert_int_equal(sched_collector.read(self->sched, snapshot, &self->report), 0);
	snapshot_seal(snapshot);
	assert_int_equal(snapshot->dropped, 0);
}

void rig_read(struct rig *self, struct snapshot *snapshot)
{
	rig_read_at(self, snapshot, rig_now_ns());
}

struct sched_counters rig_counted(const struct rig *self, const struct rig_cgroup *cgroup)
{
	const struct cgroup_counters *old = snapshot_find(&self->before, cgroup->id);
	const struct cgroup_counters *new = snapshot_find(&self->after, cgroup->id);
	const struct sched_counters zero = {};
	struct sched_counters counted;

	if (!new)
		fail_msg("no row for %s", cgroup->path);
	assert_true(sched_difference(old ? &old->sched : &zero, &new->sched, &counted));
	return counted;
}

static uint64_t pair_count(const struct snapshot *snapshot, uint64_t prev, uint64_t next)
{
	const struct pair_counter *pair = snapshot_find_pair(snapshot, prev, next);

	return pair ? pair->preemptions : 0;
}

uint64_t rig_preempted(const struct rig *self, const struct rig_cgroup *prev,
		       const struct rig_cgroup *next)
{
	return pair_count(&self->after, prev->id, next->id) -
	       pair_count(&self->before, prev->id, next->id);
}

uint64_t rig_preempted_total(const struct rig *self, const struct rig_cgroup *prev)
{
	uint64_t total = 0;

	for (size_t i = 0; i < self->after.n_pairs; i++) {
		const struct pair_counter *pair = &self->after.pairs[i];

		if (pair->waiter_cgroup_id == prev->id)
			total += pair->preemptions - pair_count(&self->before,
								pair->waiter_cgroup_id,
								pair->runner_cgroup_id);
	}
	return total;
}

struct rig_schedstat rig_schedstat(pid_t pid)
{
	struct rig_schedstat ret = {};
	uint64_t *const fields[] = {&ret.ran_ns, &ret.run_delay_ns, &ret.runs};
	char path[64], line[128] = "";
	const char *at = line;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	file = rig_open_file(path);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(parse_u64(at + strspn(at, " "), UINT64_MAX, &at, fields[i]), 0);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	ret.involuntary = rig_number_after(path, "nonvoluntary_ctxt_switches:");
	return ret;
}

void rig_check_close(double a, double b, double ratio, const char *what, const char *file, int line)
{
	if (fabs(a - b) <= ratio * fmax(fabs(a), fabs(b)))
		return;
	print_error("%s: %.0f against %.0f, off by %.2f %%, allowed %.2f %%\n", what, a, b,
		    100.0 * fabs(a - b) / fmax(fabs(a), fabs(b)), 100.0 * ratio);
	_fail(file, line);
}
