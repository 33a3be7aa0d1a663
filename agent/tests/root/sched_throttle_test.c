#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rig.h"

/* Sum of the spans in which the kernel held this level back, over CPUs. */
static uint64_t throttled_ns(const struct rig *rig, const struct rig_cgroup *cgroup)
{
	if (rig->mode.version == CGROUP_V2)
		return rig_cpu_stat(rig, cgroup, "throttled_usec ") * 1000;
	return rig_cpu_stat(rig, cgroup, "throttled_time ");
}

/* The whole life of a cgroup, its first throttled period included. */
static const struct sched_counters *throttle_for_a_while(struct rig *rig,
							 const struct rig_cgroup *quota,
							 const struct rig_cgroup *victim, pid_t pid)
{
	const struct cgroup_counters *row;

	for (int tries = 0; tries < 300; tries++) {
		rig_sleep_ms(50);
		if (rig_cpu_stat(rig, quota, "nr_throttled ") >= 15)
			break;
	}
	rig_stop(pid);
	rig_read(rig, &rig->after);
	row = snapshot_find(&rig->after, victim->id);
	assert_non_null(row);
	print_message("throttled %.1f ms; waited %.1f ms: own quota %.1f, one above %.1f, idle "
		      "%.1f, nobody's %.3f\n",
		      (double)throttled_ns(rig, quota) / 1e6, (double)row->sched.wait_ns / 1e6,
		      (double)row->sched.throttled_own_wait_ns / 1e6,
		      (double)row->sched.throttled_ancestor_wait_ns / 1e6,
		      (double)row->sched.idle_gap_wait_ns / 1e6,
		      (double)row->sched.unattributed_wait_ns / 1e6);
	return &row->sched;
}

static void the_wait_for_an_own_quota_is_no_neighbors(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "quota");
	const struct rig_cgroup *hog = rig_make_cgroup(rig, "hog");
	const struct sched_counters *counted;
	pid_t pid;

	rig_set_quota(rig, victim, 20000, 100000);
	rig_favour(rig, victim);
	rig_spawn(rig, hog, 1, work_spin);
	pid = rig_spawn(rig, victim, 1, work_spin);
	counted = throttle_for_a_while(rig, victim, victim, pid);
	assert_true(counted->throttled_own_wait_ns > 300000000);
	assert_int_equal(counted->throttled_ancestor_wait_ns, 0);
	rig_assert_close(counted->throttled_own_wait_ns, throttled_ns(rig, victim), 0.01);
}

static void the_wait_for_a_quota_above_is_told_apart(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *pod = rig_make_cgroup(rig, "pod");
	const struct rig_cgroup *victim, *hog;
	const struct sched_counters *counted;
	pid_t pid;

	if (rig->mode.version == CGROUP_V2)
		rig_write(rig, pod, "cgroup.subtree_control", "+cpu");
	victim = rig_make_cgroup(rig, "pod/container");
	hog = rig_make_cgroup(rig, "hog");
	rig_set_quota(rig, pod, 20000, 100000);
	rig_favour(rig, pod);
	rig_spawn(rig, hog, 1, work_spin);
	pid = rig_spawn(rig, victim, 1, work_spin);
	counted = throttle_for_a_while(rig, pod, victim, pid);
	assert_true(counted->throttled_ancestor_wait_ns > 300000000);
	assert_int_equal(counted->throttled_own_wait_ns, 0);
	rig_assert_close(counted->throttled_ancestor_wait_ns, throttled_ns(rig, pod), 0.01);
}

/* An idle CPU: what is not the quota's can only be the idle gap, and hardly anything. */
static void throttled_alone_leaves_nothing_to_blame(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "alone");
	const struct sched_counters *counted;
	uint64_t whole = 0, unthrottled = 0, long_waits = 0, long_unthrottled = 0;
	pid_t pid;

	rig_set_quota(rig, victim, 20000, 100000);
	rig_favour(rig, victim);
	pid = rig_spawn(rig, victim, 0, work_spin);
	counted = throttle_for_a_while(rig, victim, victim, pid);
	rig_assert_close(counted->throttled_own_wait_ns, throttled_ns(rig, victim), 0.01);
	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++) {
		whole += counted->runq[i];
		unthrottled += counted->runq_unthrottled[i];
		if (hist_upper_ns(i) <= 40000000)
			continue;
		long_waits += counted->runq[i];
		long_unthrottled += counted->runq_unthrottled[i];
	}
	assert_int_equal(whole, unthrottled);
	assert_true(long_waits >= 10);
	assert_true(long_unthrottled <= long_waits / 4);
}

/*
 * Where whole queues are held back, that begins in the middle of the wait of who did not run
 * then. Alone on a CPU, who waits for the other or the quota never waits for nobody.
 */
static void a_quota_may_come_in_the_middle_of_a_wait(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *pod = rig_make_cgroup(rig, "pod");
	const struct rig_cgroup *one, *other;
	const struct sched_counters *of_one, *of_other;
	pid_t pid, other_pid;

	if (rig->mode.version == CGROUP_V2)
		rig_write(rig, pod, "cgroup.subtree_control", "+cpu");
	one = rig_make_cgroup(rig, "pod/one");
	other = rig_make_cgroup(rig, "pod/other");
	rig_set_quota(rig, pod, 20000, 100000);
	rig_favour(rig, pod);
	other_pid = rig_spawn(rig, other, 0, work_spin);
	pid = rig_spawn(rig, one, 0, work_spin);
	of_one = throttle_for_a_while(rig, pod, one, pid);
	rig_stop(other_pid);
	of_other = &snapshot_find(&rig->after, other->id)->sched;
	for (int i = 0; i < 2; i++) {
		const struct sched_counters *counted = i ? of_other : of_one;

		assert_true(counted->wait_ns > 500000000);
		assert_int_equal(counted->throttled_own_wait_ns, 0);
		assert_true(counted->throttled_ancestor_wait_ns <=
			    throttled_ns(rig, pod) + throttled_ns(rig, pod) / 100);
		assert_true(counted->idle_gap_wait_ns < counted->wait_ns / 50);
		assert_true(counted->unattributed_wait_ns < counted->wait_ns / 200);
	}
	assert_true(of_one->throttled_ancestor_wait_ns + of_other->throttled_ancestor_wait_ns >
		    throttled_ns(rig, pod) / 2);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_wait_for_an_own_quota_is_no_neighbors),
		TEST(the_wait_for_a_quota_above_is_told_apart),
		TEST(throttled_alone_leaves_nothing_to_blame),
		TEST(a_quota_may_come_in_the_middle_of_a_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
