#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "rig.h"

extern const struct collector sched_collector;

static uint64_t blamed_in(const struct snapshot *snapshot, uint64_t waiter, uint64_t runner)
{
	const struct pair_counter *pair = snapshot_find_pair(snapshot, waiter, runner);

	return pair ? pair->wait_ns : 0;
}

static double blamed(const struct rig *rig, const struct rig_cgroup *waiter,
		     const struct rig_cgroup *runner)
{
	return (double)(blamed_in(&rig->after, waiter->id, runner->id) -
			blamed_in(&rig->before, waiter->id, runner->id));
}

/* Everything that the ledger says about one cgroup's waits, since the collector attached. */
static uint64_t explained_ns(const struct snapshot *snapshot, uint64_t cgroup_id)
{
	const struct cgroup_counters *row = snapshot_find(snapshot, cgroup_id);
	uint64_t total;

	assert_non_null(row);
	total = row->sched.throttled_own_wait_ns + row->sched.throttled_ancestor_wait_ns +
		row->sched.idle_gap_wait_ns + row->sched.unattributed_wait_ns;
	for (size_t i = 0; i < snapshot->n_pairs; i++)
		if (snapshot->pairs[i].waiter_cgroup_id == cgroup_id)
			total += snapshot->pairs[i].wait_ns;
	return total;
}

/* To the ns; the children of the cgroup must not be able to run. */
static void assert_all_is_explained(const struct rig *rig, const struct rig_cgroup *cgroup)
{
	const struct cgroup_counters *row = snapshot_find(&rig->after, cgroup->id);

	assert_non_null(row);
	assert_int_equal(explained_ns(&rig->after, cgroup->id), row->sched.wait_ns);
}

static double unattributed(const struct rig *rig, const struct rig_cgroup *cgroup)
{
	const struct cgroup_counters *old = snapshot_find(&rig->before, cgroup->id);
	const struct cgroup_counters *new = snapshot_find(&rig->after, cgroup->id);

	assert_non_null(new);
	return (double)(new->sched.unattributed_wait_ns -
			(old ? old->sched.unattributed_wait_ns : 0));
}

/* More cgroups than slots, by somebody else's doing, are time without a name. */
static void say_what_was_lost(const struct rig *rig)
{
	print_message("lost %llu: %s\n", (unsigned long long)rig->report.lost, rig->report.reason);
}

static void every_wait_is_explained_to_the_nanosecond(void **state)
{
	struct rig *rig = rig_of(state);
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	pid_t children[8];
	double waited = 0, nobodys = 0;

	for (int i = 0; i < 8; i++)
		children[i] = rig_spawn(rig, rig_make_cgroup(rig, names[i]), i % 3 - 1,
					i % 2 ? work_spin : work_doze);
	rig_sleep_ms(3000);
	for (int i = 0; i < 8; i++)
		rig_stop(children[i]);
	rig_read(rig, &rig->after);
	for (int i = 0; i < 8; i++) {
		const struct sched_counters counted = rig_counted(rig, &rig->cgroups[i]);

		assert_all_is_explained(rig, &rig->cgroups[i]);
		waited += (double)counted.wait_ns;
		nobodys += unattributed(rig, &rig->cgroups[i]);
	}
	print_message("waited %.1f ms, unattributed %.3f ms\n", waited / 1e6, nobodys / 1e6);
	assert_true(waited > 1e9);
	/* Also where switches raise no event, as some kernels keep those of a few tasks. */
	assert_true(nobodys < 0.001 * waited);
}

static void hogs_are_blamed_by_what_they_ran(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "victim");
	const struct rig_cgroup *small = rig_make_cgroup(rig, "small");
	const struct rig_cgroup *big = rig_make_cgroup(rig, "big");
	const struct rig_cgroup *innocent = rig_make_cgroup(rig, "innocent");
	const pid_t pid = rig_spawn(rig, victim, 0, work_spin);
	const pid_t small_pid = rig_spawn(rig, small, 0, work_spin);
	const pid_t big_pid = rig_spawn(rig, big, 0, work_spin);
	struct rig_schedstat small_old, big_old, small_new, big_new;
	struct sched_counters counted;
	double by_small, by_big, share, ran_share;

	rig_favour(rig, big);
	rig_spawn(rig, innocent, 1, work_spin);
	rig_sleep_ms(200);
	rig_stop(pid);
	small_old = rig_schedstat(small_pid);
	big_old = rig_schedstat(big_pid);
	rig_read(rig, &rig->before);
	rig_continue(pid);
	rig_sleep_ms(3000);
	rig_stop(pid);
	rig_read(rig, &rig->after);
	small_new = rig_schedstat(small_pid);
	big_new = rig_schedstat(big_pid);
	say_what_was_lost(rig);
	counted = rig_counted(rig, victim);
	by_small = blamed(rig, victim, small);
	by_big = blamed(rig, victim, big);
	share = by_small / (by_small + by_big);
	ran_share = (double)(small_new.ran_ns - small_old.ran_ns) /
		    (double)(small_new.ran_ns - small_old.ran_ns + big_new.ran_ns - big_old.ran_ns);
	print_message(
		"waited %.1f ms: %.1f for the small hog, %.1f for the big one, %.3f for the "
		"innocent one, %.3f unattributed; small %.2f %% of the blame, %.2f %% of what "
		"both ran\n",
		(double)counted.wait_ns / 1e6, by_small / 1e6, by_big / 1e6,
		blamed(rig, victim, innocent) / 1e6, unattributed(rig, victim) / 1e6, 100 * share,
		100 * ran_share);
	assert_all_is_explained(rig, victim);
	assert_true(counted.wait_ns > 1000000000);
	assert_true(fabs(share - ran_share) < 0.02);
	assert_true(blamed(rig, victim, innocent) < 0.005 * (double)counted.wait_ns);
	assert_true(unattributed(rig, victim) < 0.005 * (double)counted.wait_ns);
}

static pthread_barrier_t all_are_there;

static void *spin(void *nothing)
{
	pthread_barrier_wait(&all_are_there);
	work_spin();
	return nothing;
}

static void work_64_threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&all_are_there, NULL, 64);
	for (int i = 1; i < 64; i++)
		(void)pthread_create(&thread, NULL, spin, NULL);
	(void)spin(NULL);
}

/* Before anybody competes with their maker: on a slow machine that would take long. */
static void wait_for_64_threads(pid_t pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	for (int tries = 0; tries < 200 && rig_number_after(path, "Threads:") < 64; tries++)
		rig_sleep_ms(50);
	assert_int_equal(rig_number_after(path, "Threads:"), 64);
}

/* Waits of a second and more, far beyond what the log of a busy CPU holds. */
static void waits_of_64_threads_are_covered(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "threads");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hog");
	const struct rig_cgroup *ticker = rig_make_cgroup(rig, "ticker");
	const pid_t pid = rig_spawn(rig, victim, 0, work_64_threads);
	struct sched_counters counted;
	const struct cgroup_counters *row;
	double self_ns;

	wait_for_64_threads(pid);
	rig_spawn(rig, hog, 0, work_spin);
	rig_spawn(rig, ticker, 0, work_doze);
	rig_sleep_ms(100);
	rig_read(rig, &rig->before);
	rig_sleep_ms(6000);
	rig_stop(pid);
	rig_read(rig, &rig->after);
	say_what_was_lost(rig);
	counted = rig_counted(rig, victim);
	self_ns = blamed(rig, victim, victim);
	row = snapshot_find(&rig->after, victim->id);
	assert_non_null(row);
	print_message("waited %.1f s, longest %.2f s: %.1f for itself, %.1f for the hog, %.2f for "
		      "the ticker, %.4f unattributed\n",
		      (double)counted.wait_ns / 1e9, (double)row->sched.max_wait_ns / 1e9,
		      self_ns / 1e9, blamed(rig, victim, hog) / 1e9,
		      blamed(rig, victim, ticker) / 1e9, unattributed(rig, victim) / 1e9);
	assert_true(counted.wait_ns > 100000000000);
	assert_true(rig->report.lost > 0 ||
		    unattributed(rig, victim) < 0.005 * (double)counted.wait_ns);
	assert_true(row->sched.max_wait_ns > 500000000);
	/* Whatever else the machine does: each thread waits 63 times as long as it runs. */
	rig_assert_close(self_ns, 63.0 * (double)counted.ran_ns, 0.15);
}

/* Each hog is blamed for the part that was waited on its CPU. */
static void a_wait_that_moves_is_blamed_on_both_sides(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "moves");
	const struct rig_cgroup *left = rig_make_cgroup(rig, "left");
	const struct rig_cgroup *right = rig_make_cgroup(rig, "right");
	const pid_t pid = rig_spawn(rig, victim, 0, work_spin);
	struct sched_counters counted;

	rig_favour(rig, left);
	rig_favour(rig, right);
	for (int i = 0; i < 4; i++)
		rig_spawn(rig, i % 2 ? right : left, i % 2, work_spin);
	rig_sleep_ms(100);
	rig_stop(pid);
	rig_read(rig, &rig->before);
	rig_continue(pid);
	for (int i = 1; i < 150; i++) {
		rig_pin(pid, i % 2);
		rig_sleep_ms(7);
	}
	rig_stop(pid);
	rig_read(rig, &rig->after);
	counted = rig_counted(rig, victim);
	print_message("waited %.1f ms, %.1f of it before a migration: %.1f for the left hog, %.1f "
		      "for the right one, %.3f unattributed\n",
		      (double)counted.wait_ns / 1e6, (double)counted.migrated_wait_ns / 1e6,
		      blamed(rig, victim, left) / 1e6, blamed(rig, victim, right) / 1e6,
		      unattributed(rig, victim) / 1e6);
	assert_all_is_explained(rig, victim);
	assert_true(counted.migrated_wait_ns > 50000000);
	assert_true(unattributed(rig, victim) < 0.01 * (double)counted.wait_ns);
	assert_true(blamed(rig, victim, left) > 0.05 * (double)counted.wait_ns);
	assert_true(blamed(rig, victim, right) > 0.05 * (double)counted.wait_ns);
}

struct heard {
	uint64_t cgroup_id, hog_id;
	unsigned int n_neighbor, n_throttling;
	uint64_t longest_ns, by_hog_ns;
};

static void hear(void *context, const struct wait_event *event)
{
	struct heard *heard = context;

	if (event->cgroup_id != heard->cgroup_id)
		return;
	heard->n_throttling += event->kind == WAIT_EVENT_THROTTLING;
	if (event->kind != WAIT_EVENT_NOISY_NEIGHBOR)
		return;
	heard->n_neighbor++;
	assert_true(event->duration_ns >= WAIT_EVENT_NEIGHBOR_NS);
	assert_true(event->pid > 0);
	assert_true(event->n_shares > 0 && event->n_shares <= WAIT_EVENT_SHARES);
	heard->longest_ns = event->duration_ns;
	for (size_t i = 0; i < event->n_shares; i++)
		if (event->shares[i].cgroup_id == heard->hog_id)
			heard->by_hog_ns += event->shares[i].ns;
}

/* Ten hogs make every turn longer than 10 ms: one event a second, and a count of the others. */
static void a_long_wait_is_told(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "told");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hog");
	struct heard heard = {.cgroup_id = victim->id, .hog_id = hog->id};
	const struct collector_sink sink = {.on_wait_event = hear, .context = &heard};

	rig_favour(rig, hog);
	for (int i = 0; i < 10; i++)
		rig_spawn(rig, hog, 0, work_spin);
	rig_spawn(rig, victim, 0, work_spin);
	for (int tries = 0; tries < 25; tries++) {
		rig_sleep_ms(100);
		assert_int_equal(sched_collector.drain(rig->sched, &sink), 0);
	}
	print_message("%u events; the last wait %.1f ms\n", heard.n_neighbor,
		      (double)heard.longest_ns / 1e6);
	assert_in_range(heard.n_neighbor, 1, 4);
	assert_true(heard.by_hog_ns > WAIT_EVENT_NEIGHBOR_NS / 4);
	assert_int_equal(sched_collector.set_level(rig->sched, 1), 0);
	heard.n_neighbor = 0;
	rig_sleep_ms(1200);
	assert_int_equal(sched_collector.drain(rig->sched, &sink), 0);
	heard.n_neighbor = 0;
	rig_sleep_ms(1200);
	assert_int_equal(sched_collector.drain(rig->sched, &sink), 0);
	assert_int_equal(heard.n_neighbor, 0);
}

static void without_blame_all_is_unattributed(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "level");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hog");
	const pid_t pid = rig_spawn(rig, victim, 0, work_spin);
	struct sched_counters counted;

	rig_spawn(rig, hog, 0, work_spin);
	for (unsigned int level = 4; level < 5; level--) {
		assert_int_equal(sched_collector.set_level(rig->sched, level), 0);
		rig_stop(pid);
		rig_read(rig, &rig->before);
		rig_continue(pid);
		rig_sleep_ms(300);
		rig_stop(pid);
		rig_read(rig, &rig->after);
		rig_continue(pid);
		counted = rig_counted(rig, victim);
		assert_true(counted.wait_ns > 0);
		if (level == 4)
			assert_int_equal((uint64_t)unattributed(rig, victim), counted.wait_ns);
		else
			assert_true(unattributed(rig, victim) < 0.05 * (double)counted.wait_ns);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_wait_is_explained_to_the_nanosecond),
		TEST(hogs_are_blamed_by_what_they_ran),
		TEST(waits_of_64_threads_are_covered),
		TEST(a_wait_that_moves_is_blamed_on_both_sides),
		TEST(a_long_wait_is_told),
		TEST(without_blame_all_is_unattributed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
