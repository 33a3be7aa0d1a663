#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rig.h"

extern const struct collector sched_collector;

#define KEPT_EVENTS 1024

/* One cgroup's events of a kind, in the order in which they came. */
struct heard {
	uint64_t cgroup_id;
	enum wait_event_kind kind;
	struct wait_event events[KEPT_EVENTS];
	size_t n_events;
};

static void on_wait_event(void *context, const struct wait_event *event)
{
	struct heard *heard = context;

	if (event->cgroup_id == heard->cgroup_id && event->kind == heard->kind &&
	    heard->n_events < KEPT_EVENTS)
		heard->events[heard->n_events++] = *event;
}

/* Until there are so many, but no longer than that: a busy machine takes its time. */
static void listen_for(struct rig *rig, struct heard *heard, size_t n_events, unsigned int ms)
{
	const struct collector_sink sink = {on_wait_event, heard};
	const uint64_t until_ns = rig_now_ns() + ms * UINT64_C(1000000);

	assert_int_equal(sched_collector.drain(rig->sched, &sink), 0);
	heard->n_events = 0; /* of before */
	while (heard->n_events < n_events && rig_now_ns() < until_ns) {
		rig_sleep_ms(20);
		assert_int_equal(sched_collector.drain(rig->sched, &sink), 0);
	}
}

static uint64_t share_of(const struct wait_event *event, const struct rig_cgroup *cgroup)
{
	for (size_t i = 0; i < event->n_shares; i++)
		if (event->shares[i].who == WAIT_SHARE_CGROUP &&
		    event->shares[i].cgroup_id == cgroup->id)
			return event->shares[i].ns;
	return 0;
}

static void print_event(const struct wait_event *event)
{
	print_message("kind %d, %.2f ms, CPU %u, %s, level %d, skipped %llu:", (int)event->kind,
		      (double)event->duration_ns / 1e6, event->cpu, event->comm,
		      (int)event->quota_level, (unsigned long long)event->skipped);
	for (size_t i = 0; i < event->n_shares; i++)
		print_message(" %d/%llu %.2f", (int)event->shares[i].who,
			      (unsigned long long)event->shares[i].cgroup_id,
			      (double)event->shares[i].ns / 1e6);
	print_message("\n");
}

/* What holds for every event, whoever else uses the machine. */
static void assert_makes_sense(const struct wait_event *event)
{
	uint64_t sum_ns = 0, others_ns = 0;

	assert_true(event->ended_at_ns <= rig_now_ns());
	assert_non_null(memchr(event->comm, '\0', sizeof(event->comm)));
	if (event->kind == WAIT_EVENT_THROTTLING) {
		assert_true(event->duration_ns >= WAIT_EVENT_THROTTLED_NS);
		assert_int_equal(event->n_shares, 0);
		return;
	}
	assert_int_equal(event->kind, WAIT_EVENT_NOISY_NEIGHBOR);
	assert_int_equal(event->quota_level, QUOTA_LEVEL_NONE);
	assert_true(event->duration_ns >= WAIT_EVENT_NEIGHBOR_NS);
	for (size_t i = 0; i < event->n_shares; i++) {
		sum_ns += event->shares[i].ns;
		if (i > 0)
			assert_true(event->shares[i].ns <= event->shares[i - 1].ns);
		if (event->shares[i].who != WAIT_SHARE_IDLE &&
		    event->shares[i].cgroup_id != event->cgroup_id)
			others_ns += event->shares[i].ns;
	}
	assert_int_equal(sum_ns, event->duration_ns);
	assert_true(others_ns >= 1000000);
}

static void spawn_pair(struct rig *rig, const struct rig_cgroup **ret_victim,
		       const struct rig_cgroup **ret_hog, pid_t *ret_pid)
{
	*ret_victim = rig_make_cgroup(rig, "victim");
	*ret_hog = rig_make_cgroup(rig, "hog");
	rig_favour(rig, *ret_hog);
	rig_spawn(rig, *ret_hog, 0, work_spin);
	*ret_pid = rig_spawn(rig, *ret_victim, 0, work_spin);
}

static void a_long_wait_names_who_ran_meanwhile(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim, *hog;
	uint64_t sum_ns = 0, by_hog_ns = 0, skipped = 0;
	struct heard heard = {.kind = WAIT_EVENT_NOISY_NEIGHBOR};
	pid_t pid;

	spawn_pair(rig, &victim, &hog, &pid);
	heard.cgroup_id = victim->id;
	listen_for(rig, &heard, 4, 20000);
	for (size_t i = 0; i < heard.n_events; i++) {
		const struct wait_event *event = &heard.events[i];

		print_event(event);
		assert_makes_sense(event);
		assert_int_equal(event->cpu, 0);
		assert_int_equal(event->pid, pid);
		assert_string_equal(event->comm, "sched_events_te");
		sum_ns += event->duration_ns;
		by_hog_ns += share_of(event, hog);
		skipped += event->skipped;
		if (i > 0) /* one a second: the clocks of both sides differ a little */
			assert_true(event->ended_at_ns - heard.events[i - 1].ended_at_ns >
				    980000000);
	}
	assert_int_equal(heard.n_events, 4);
	assert_true(by_hog_ns > sum_ns / 4);
	/* The favoured hog makes the victim wait many times a second. */
	assert_true(skipped > 0);
	rig_read(rig, &rig->after);
	assert_true(rig->report.rate_limited >= skipped);
	assert_int_equal(rig->report.ring_lost, 0);
}

static void they_are_off_at_level_one(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim, *hog;
	struct heard heard = {.kind = WAIT_EVENT_NOISY_NEIGHBOR};
	pid_t pid;

	assert_string_equal(sched_collector.optional_parts[0], "event exemplars");
	assert_int_equal(sched_collector.set_level(rig->sched, 1), 0);
	spawn_pair(rig, &victim, &hog, &pid);
	heard.cgroup_id = victim->id;
	listen_for(rig, &heard, 1, 1500);
	assert_int_equal(heard.n_events, 0);
	assert_int_equal(sched_collector.set_level(rig->sched, 0), 0);
	listen_for(rig, &heard, 1, 20000);
	assert_int_equal(heard.n_events, 1);
	assert_int_equal(heard.events[0].skipped, 0);
	assert_int_equal(heard.events[0].pid, pid);
}

/* The machine's others come between now and then: then it must be them that an event is about. */
static void a_wait_for_own_threads_is_no_event(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *crowd = rig_make_cgroup(rig, "crowd");
	struct heard heard = {.cgroup_id = crowd->id, .kind = WAIT_EVENT_NOISY_NEIGHBOR};
	uint64_t long_waits = 0;

	rig_favour(rig, crowd);
	for (int i = 0; i < 8; i++)
		rig_spawn(rig, crowd, 1, work_spin);
	rig_sleep_ms(200);
	rig_read(rig, &rig->before);
	listen_for(rig, &heard, KEPT_EVENTS, 2500);
	rig_read(rig, &rig->after);
	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++)
		if (hist_upper_ns(i) > 14000000)
			long_waits += rig_counted(rig, crowd).runq[i];
	print_message("%zu events in %llu long waits\n", heard.n_events,
		      (unsigned long long)long_waits);
	assert_true(long_waits > 50);
	for (size_t i = 0; i < heard.n_events; i++) {
		print_event(&heard.events[i]);
		assert_makes_sense(&heard.events[i]);
	}
}

static void expect_throttling(struct rig *rig, const struct rig_cgroup *quota,
			      const struct rig_cgroup *victim, enum quota_level level)
{
	struct heard heard = {.cgroup_id = victim->id, .kind = WAIT_EVENT_THROTTLING};
	pid_t pid;

	rig_set_quota(rig, quota, 20000, 100000);
	rig_favour(rig, quota);
	pid = rig_spawn(rig, victim, 1, work_spin);
	listen_for(rig, &heard, 3, 10000);
	for (size_t i = 0; i < heard.n_events; i++) {
		const struct wait_event *event = &heard.events[i];

		print_event(event);
		assert_makes_sense(event);
		assert_int_equal(event->quota_level, level);
		assert_int_equal(event->pid, pid);
	}
	assert_int_equal(heard.n_events, 3);
}

static void a_long_throttled_span_names_its_quota(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *victim = rig_make_cgroup(rig, "quota");

	expect_throttling(rig, victim, victim, QUOTA_LEVEL_OWN);
}

static void so_does_one_of_a_quota_above(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *pod = rig_make_cgroup(rig, "pod");
	const struct rig_cgroup *victim;

	if (rig->mode.version == CGROUP_V2)
		rig_write(rig, pod, "cgroup.subtree_control", "+cpu");
	victim = rig_make_cgroup(rig, "pod/container");
	expect_throttling(rig, pod, victim, QUOTA_LEVEL_ANCESTOR);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_long_wait_names_who_ran_meanwhile),
		TEST(they_are_off_at_level_one),
		TEST(a_wait_for_own_threads_is_no_event),
		TEST(a_long_throttled_span_names_its_quota),
		TEST(so_does_one_of_a_quota_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
