#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "rig.h"

static void a_cgroup_is_named_by_the_inode_of_its_directory(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "inode");
	const struct cgroup *named;

	rig_spawn(rig, cgroup, 0, work_doze);
	rig_sleep_ms(50);
	rig_read(rig, &rig->after);
	assert_non_null(snapshot_find(&rig->after, cgroup->id));
	named = cgroup_table_find(rig->table, cgroup->id);
	assert_non_null(named);
	assert_string_equal(named->path, cgroup->path);
}

static void the_wait_beside_a_hog_is_what_schedstat_says(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "victim");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hog");
	const pid_t pid = rig_spawn(rig, victim, 0, work_spin);
	struct rig_schedstat old, new;
	struct sched_counters counted;

	rig_spawn(rig, hog, 0, work_spin);
	rig_sleep_ms(200);
	rig_stop(pid);
	rig_read(rig, &rig->before);
	old = rig_schedstat(pid);
	rig_continue(pid);
	rig_sleep_ms(2000);
	rig_stop(pid);
	rig_read(rig, &rig->after);
	new = rig_schedstat(pid);
	counted = rig_counted(rig, victim);

	print_message("waited %.1f ms, schedstat %.1f ms; ran %.1f ms, schedstat %.1f ms\n",
		      (double)counted.wait_ns / 1e6,
		      (double)(new.run_delay_ns - old.run_delay_ns) / 1e6,
		      (double)counted.ran_ns / 1e6, (double)(new.ran_ns - old.ran_ns) / 1e6);
	assert_true(counted.wait_ns > 500000000);
	rig_assert_close(counted.wait_ns, new.run_delay_ns - old.run_delay_ns, 0.01);
	rig_assert_close(counted.ran_ns, new.ran_ns - old.ran_ns, 0.03);
	rig_assert_close(counted.wait_count, new.runs - old.runs, 0.03);
	rig_assert_close(rig_preempted_total(rig, victim), new.involuntary - old.involuntary, 0.03);
}

static void two_spinners_on_one_cpu_name_each_other(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *a = rig_make_cgroup(rig, "a");
	const struct rig_cgroup *b = rig_make_cgroup(rig, "b");

	rig_favour(rig, a);
	rig_favour(rig, b);
	rig_spawn(rig, a, 1, work_spin);
	rig_spawn(rig, b, 1, work_spin);
	rig_sleep_ms(100);
	rig_read(rig, &rig->before);
	for (int tries = 0; tries < 100; tries++) {
		rig_sleep_ms(200);
		rig_read(rig, &rig->after);
		if (rig_preempted(rig, a, b) > 20 && rig_preempted(rig, b, a) > 20)
			break;
	}
	assert_true(rig_preempted(rig, a, b) > 20);
	assert_true(rig_preempted(rig, b, a) > 20);
	assert_int_equal(rig_preempted(rig, a, a), 0);
}

static void a_task_that_never_leaves_its_cpu_is_seen_to_run(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "alone");
	const pid_t pid = rig_spawn(rig, cgroup, 1, work_spin);

	/* Windows so short that hardly one of them holds a switch of it. */
	for (int window = 0; window < 20; window++) {
		struct rig_schedstat old, new;

		rig_read(rig, &rig->before);
		old = rig_schedstat(pid);
		rig_sleep_ms(40);
		new = rig_schedstat(pid);
		rig_read(rig, &rig->after);
		/* One tick (10 ms at HZ 100) of slack: the run queue's clock moves with it. */
		assert_true(rig_counted(rig, cgroup).ran_ns + 11000000 > new.ran_ns - old.ran_ns);
	}
}

static void every_wakeup_is_one_wait(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "doze");
	const pid_t pid = rig_spawn(rig, cgroup, -1, work_doze);
	struct sched_counters counted;
	struct rig_schedstat old, new;
	uint64_t in_buckets = 0;

	rig_stop(pid);
	rig_read(rig, &rig->before);
	old = rig_schedstat(pid);
	rig_continue(pid);
	rig_sleep_ms(1000);
	rig_stop(pid);
	rig_read(rig, &rig->after);
	new = rig_schedstat(pid);
	counted = rig_counted(rig, cgroup);
	for (size_t i = 0; i < RUNQ_BUCKETS; i++)
		in_buckets += counted.runq[i];
	assert_true(counted.wait_count > 100);
	assert_int_equal(in_buckets, counted.wait_count);
	rig_assert_close(counted.wait_count, new.runs - old.runs, 0.03);
}

static void a_wait_that_moves_to_another_cpu_is_counted_whole(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "moved");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hogs");
	const pid_t pid = rig_spawn(rig, victim, 0, work_spin);
	struct sched_counters counted;
	struct rig_schedstat old, new;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("skip: needs two CPUs\n");
		skip();
	}
	for (int i = 0; i < 4; i++)
		rig_spawn(rig, hog, i % 2, work_spin);
	rig_sleep_ms(100);
	rig_stop(pid);
	rig_read(rig, &rig->before);
	old = rig_schedstat(pid);
	rig_continue(pid);
	for (int i = 0; i < 400; i++) {
		rig_pin(pid, i % 2);
		rig_sleep_ms(5);
	}
	rig_stop(pid);
	rig_read(rig, &rig->after);
	new = rig_schedstat(pid);
	counted = rig_counted(rig, victim);
	print_message("waited %.1f ms, %.1f of it before a migration; schedstat %.1f ms\n",
		      (double)counted.wait_ns / 1e6, (double)counted.migrated_wait_ns / 1e6,
		      (double)(new.run_delay_ns - old.run_delay_ns) / 1e6);
	assert_true(counted.migrated_wait_ns > 10000000);
	assert_true(counted.migrated_wait_ns < counted.wait_ns);
	rig_assert_close(counted.wait_ns, new.run_delay_ns - old.run_delay_ns, 0.03);
}

static void a_quota_that_runs_out_is_no_preemption(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "quota");
	uint64_t nr_throttled, involuntary;
	struct sched_counters counted;
	pid_t pid;

	rig_set_quota(rig, cgroup, 10000, 100000);
	rig_favour(rig, cgroup);
	pid = rig_spawn(rig, cgroup, 1, work_spin);
	rig_sleep_ms(250);
	rig_stop(pid);
	rig_read(rig, &rig->before);
	nr_throttled = rig_cpu_stat(rig, cgroup, "nr_throttled ");
	involuntary = rig_schedstat(pid).involuntary;
	rig_continue(pid);
	/* On a busy machine it takes more than one period to use up a quota. */
	for (int tries = 0; tries < 200; tries++) {
		rig_sleep_ms(100);
		if (rig_cpu_stat(rig, cgroup, "nr_throttled ") >= nr_throttled + 23)
			break;
	}
	rig_stop(pid);
	rig_read(rig, &rig->after);
	nr_throttled = rig_cpu_stat(rig, cgroup, "nr_throttled ") - nr_throttled;
	involuntary = rig_schedstat(pid).involuntary - involuntary;
	counted = rig_counted(rig, cgroup);

	print_message("nr_throttled %llu, throttled out %llu, preempted %llu, involuntary %llu\n",
		      (unsigned long long)nr_throttled, (unsigned long long)counted.throttled_out,
		      (unsigned long long)rig_preempted_total(rig, cgroup),
		      (unsigned long long)involuntary);
	assert_true(nr_throttled >= 20);
	/*
	 * The period that the reads fall into may belong to either side; and a task that waits
	 * for its CPU while the quota runs out is throttled without being switched out.
	 */
	assert_in_range(counted.throttled_out, nr_throttled * 6 / 10, nr_throttled + 1);
	assert_in_range(rig_preempted_total(rig, cgroup) + counted.throttled_out, involuntary - 2,
			involuntary + 2);
}

static void counters_never_fall(void **state)
{
	struct rig *rig = rig_of(state);
	struct snapshot *old = &rig->before, *new = &rig->after;

	for (int i = 0; i < 4; i++)
		rig_spawn(rig, rig_make_cgroup(rig, (const char[]){(char)('p' + i), '\0'}), i % 2,
			  i < 2 ? work_spin : work_doze);
	rig_read(rig, old);
	for (int round = 0; round < 100; round++) {
		struct snapshot *swap = old;

		rig_sleep_ms(10);
		rig_read(rig, new);
		assert_int_equal(rig->report.lost, 0);
		for (size_t i = 0; i < old->n_cgroups; i++) {
			const struct cgroup_counters *a = &old->cgroups[i];
			const struct cgroup_counters *b = snapshot_find(new, a->cgroup_id);

			assert_non_null(b);
			assert_true(b->sched.ran_ns >= a->sched.ran_ns);
			assert_true(b->sched.wait_ns >= a->sched.wait_ns);
			assert_true(b->sched.wait_count >= a->sched.wait_count);
			assert_true(b->sched.throttled_out >= a->sched.throttled_out);
		}
		old = new;
		new = swap;
	}
}

static void a_cgroup_made_again_is_not_mixed_with_its_forerunner(void **state)
{
	struct rig *rig = rig_of(state);
	uint64_t first_id = 0, first_ran_ns = 0;

	rig_read(rig, &rig->before);
	for (int life = 0; life < 12; life++) { /* css ids are reused at once */
		const struct rig_cgroup *cgroup = rig_make_cgroup(rig, "again");
		const pid_t pid = rig_spawn(rig, cgroup, 0, work_spin);
		/* schedstat begins with the fork, in the parent's cgroup. */
		const struct rig_schedstat forked = rig_schedstat(pid);
		struct rig_schedstat ran;

		rig_sleep_ms(30);
		rig_stop(pid);
		ran = rig_schedstat(pid);
		rig_read(rig, &rig->after);
		assert_true(rig_counted(rig, cgroup).ran_ns <= ran.ran_ns + 1000000);
		assert_true(rig_counted(rig, cgroup).ran_ns >= (ran.ran_ns - forked.ran_ns) / 2);
		if (life == 0) {
			first_id = cgroup->id;
			first_ran_ns = rig_counted(rig, cgroup).ran_ns;
		}
		rig_kill(rig, pid);
		rig_remove_cgroup(rig, cgroup);
	}
	rig_read(rig, &rig->after);
	assert_non_null(snapshot_find(&rig->after, first_id));
	/* It died after that reading; eleven more lives would be ten times as much. */
	assert_in_range(snapshot_find(&rig->after, first_id)->sched.ran_ns, first_ran_ns,
			first_ran_ns + 30000000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_cgroup_is_named_by_the_inode_of_its_directory),
		TEST(the_wait_beside_a_hog_is_what_schedstat_says),
		TEST(two_spinners_on_one_cpu_name_each_other),
		TEST(a_task_that_never_leaves_its_cpu_is_seen_to_run),
		TEST(every_wakeup_is_one_wait),
		TEST(a_wait_that_moves_to_another_cpu_is_counted_whole),
		TEST(a_quota_that_runs_out_is_no_preemption),
		TEST(counters_never_fall),
		TEST(a_cgroup_made_again_is_not_mixed_with_its_forerunner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
