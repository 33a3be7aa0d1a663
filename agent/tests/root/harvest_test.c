#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectors/sched/sched.h"
#include "life.h"

static void harvest(struct life *self)
{
	life_drain(self);
	assert_int_equal(sched_collector.drain(self->rig->sched, &self->sink), 0);
}

static bool is_released_soon(struct life *self)
{
	char path[128];
	uint64_t id;

	life_path(path, "probe", 0);
	id = life_live(self, path, "exit 0");
	for (int tries = 0; tries < 200; tries++) {
		const struct cgroup *cgroup;

		life_drain(self);
		cgroup = cgroup_table_find(self->rig->table, id);
		if (cgroup && cgroup->is_released)
			return true;
		rig_sleep_ms(10);
	}
	return false;
}

/* More of them than there are slots, and not one read meanwhile. */
static void more_short_lives_than_slots_are_all_counted(void **state)
{
	struct life self;
	uint64_t *ids, ran_ns = 0;
	unsigned int n_lives;
	char path[128];

	life_start(&self, state, 512 * 1024);
	if (!is_released_soon(&self)) {
		life_stop(&self);
		print_message("skip: something (charged memory?) holds removed cgroups here\n");
		skip();
	}
	n_lives = ((struct sched *)self.rig->sched)->slots.n_slots + 100;
	ids = calloc(n_lives, sizeof(*ids));
	assert_non_null(ids);
	for (unsigned int n = 0; n < n_lives; n++) {
		life_path(path, "brief", n);
		ids[n] = life_live(&self, path, "exit 0");
		harvest(&self);
	}
	rig_read(self.rig, &self.rig->after);
	assert_int_equal(self.rig->report.state, COLLECTOR_OK);
	for (unsigned int n = 0; n < n_lives; n++) {
		const struct cgroup_counters *row = snapshot_find(&self.rig->after, ids[n]);

		assert_non_null(row);
		assert_true(row->sched.ran_ns > 0);
		assert_true(row->sched.ran_ns < 1000000000);
		ran_ns += row->sched.ran_ns;
	}
	print_message("%u lives, %.2f ms each\n", n_lives, (double)ran_ns / n_lives / 1e6);

	/* Told once: who was released by then, and that takes a moment, does not come again. */
	rig_read(self.rig, &self.rig->before);
	for (unsigned int n = 0; n < n_lives / 2; n++)
		assert_null(snapshot_find(&self.rig->before, ids[n]));
	free(ids);
	life_stop(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(more_short_lives_than_slots_are_all_counted,
						rig_set_up, rig_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
