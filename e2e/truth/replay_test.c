/* The replay on traces made by hand: one CPU, times in ns, answers that a reader can add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "blame.h"

enum { VICTIM = PARTY_FIRST, HOG, TICK };

#define WAITS  (TRUTH_ON_RQ | TRUTH_FAIR | TRUTH_BY_TASK)
#define SLEEPS (TRUTH_FAIR | TRUTH_BY_TASK)

static struct truth_task task(unsigned int party, uint32_t pid)
{
	return (struct truth_task){.pid = pid, .cgroup_id = 100 + party, .flags = SLEEPS};
}

static struct replay *fresh(void)
{
	static struct replay replay;

	memset(&replay, 0, sizeof(replay));
	replay.parties.n = TICK + 1;
	for (unsigned int i = VICTIM; i <= TICK; i++)
		replay.parties.ids[i] = 100 + i;
	return &replay;
}

static void play(struct replay *replay, const struct truth_event *event)
{
	assert_int_equal(replay_event(replay, event), 0);
}

/* prev came in at `arrived` and leaves with `flags`; next has been queued since `queued`. */
static struct truth_event switch_at(uint64_t at, struct truth_task prev, uint64_t arrived,
				    uint32_t flags, struct truth_task next, uint64_t queued)
{
	struct truth_event event = {.clock = at, .monotonic_ns = at, .kind = TRUTH_SWITCH};

	prev.last_arrival = arrived;
	prev.flags = flags;
	next.last_queued = queued;
	next.flags = WAITS;
	event.task = prev;
	event.next = next;
	return event;
}

static struct truth_event other_at(uint64_t at, uint32_t kind, struct truth_task of)
{
	return (struct truth_event){.clock = at, .monotonic_ns = at, .kind = kind, .task = of};
}

static const struct truth_task nobody = {0};

static void test_a_wait_is_shared_by_all_who_ran(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2), tick = task(TICK, 3);
	struct truth_task woken = victim;
	struct truth_event event;
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	event = switch_at(1000, nobody, 0, 0, hog, 1000);
	play(replay, &event);
	woken.last_queued = 1100;
	woken.flags = WAITS;
	event = other_at(1100, TRUTH_WAKEUP, woken);
	play(replay, &event);
	event = switch_at(1700, hog, 1000, SLEEPS, tick, 1690);
	play(replay, &event);
	event = switch_at(1740, tick, 1700, SLEEPS, victim, 1100);
	play(replay, &event);

	blame_between(replay, 1000, 2000, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 640);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 600);
	assert_int_equal(ledgers[VICTIM].blame_ns[TICK], 40);
	assert_int_equal(ledgers[TICK].blame_ns[HOG], 10);
	/* What the rules say of the same. */
	assert_int_equal(ledgers[VICTIM].last_occupant_ns[TICK], 640);
	assert_int_equal(ledgers[VICTIM].switch_in_ns[TICK], 640);
	assert_int_equal(ledgers[VICTIM].end_of_slice_ns[HOG], 700);
	assert_int_equal(ledgers[VICTIM].occupancy_ns[HOG], 600);
	assert_int_equal(replay->misstamped_ns, 0);
	replay_free(replay);
}

static void test_a_wait_counts_when_it_ends(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2);
	struct truth_event event = switch_at(1000, victim, 500, WAITS, hog, 1000);
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	play(replay, &event);
	event = switch_at(3000, hog, 1000, SLEEPS, victim, 1000);
	play(replay, &event);
	blame_between(replay, 500, 2500, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 0);
	blame_between(replay, 2500, 3500, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 2000);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 2000);
	/* Preempted, not woken. */
	assert_int_equal(ledgers[VICTIM].switch_in_ns[HOG], 0);
	assert_int_equal(ledgers[VICTIM].last_occupant_ns[HOG], 2000);
	replay_free(replay);
}

static void test_a_switch_without_an_event_is_told_by_the_stamps_of_the_next(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2), tick = task(TICK, 3);
	struct truth_event event = switch_at(1000, victim, 500, WAITS, hog, 1000);
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	victim.pcount = 1;
	event.task.pcount = 1;
	play(replay, &event);
	/* At 1,600 the hog went and the victim came; nobody told. */
	victim.pcount = 2;
	victim.run_delay = 600;
	event = switch_at(1900, victim, 1600, SLEEPS, tick, 1900);
	play(replay, &event);
	blame_between(replay, 500, 2000, ledgers);
	assert_int_equal(replay->hidden_switches, 1);
	assert_int_equal(ledgers[VICTIM].wait_ns, 600);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 600);
	assert_int_equal(ledgers[VICTIM].unlocated_wait_ns, 0);
	assert_int_equal(blame_wait_of(replay, 1, 500, 2000), 600);
	replay_free(replay);
}

static void test_waits_that_nobody_saw_are_not_placed(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2);
	struct truth_event event = switch_at(1000, victim, 500, WAITS, hog, 1000);
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	event.task.pcount = 1;
	play(replay, &event);
	victim.pcount = 3;
	victim.run_delay = 700;
	event = switch_at(3000, hog, 1000, SLEEPS, victim, 2500);
	play(replay, &event);
	blame_between(replay, 500, 4000, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 500);
	assert_int_equal(ledgers[VICTIM].unlocated_wait_ns, 700);
	replay_free(replay);
}

static void test_a_migrated_part_is_charged_where_it_was_waited(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2), tick = task(TICK, 3);
	struct truth_event event;
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	event = switch_at(900, nobody, 0, 0, tick, 900);
	event.cpu = 1;
	play(replay, &event);
	event = switch_at(1000, victim, 500, WAITS, hog, 1000);
	play(replay, &event);
	victim.run_delay = 400;
	victim.flags = TRUTH_MIGRATING | TRUTH_FAIR | TRUTH_BY_TASK;
	event = other_at(1400, TRUTH_MIGRATE, victim);
	play(replay, &event);
	event = switch_at(1500, tick, 900, SLEEPS, victim, 1400);
	event.cpu = 1;
	play(replay, &event);
	event = switch_at(2000, hog, 1000, SLEEPS, nobody, 0);
	play(replay, &event);
	blame_between(replay, 500, 2500, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 500);
	assert_int_equal(ledgers[VICTIM].migrated_wait_ns, 400);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 400);
	assert_int_equal(ledgers[VICTIM].blame_ns[TICK], 100);
	assert_int_equal(ledgers[VICTIM].waits, 1);
	replay_free(replay);
}

static void test_the_throttled_part_is_nobodys(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), hog = task(HOG, 2);
	struct truth_event event;
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	victim.throttled_since = 1000;
	event = switch_at(1000, victim, 500, WAITS | TRUTH_TASK_THROTTLED, hog, 1000);
	play(replay, &event);
	victim.throttled_since = 0;
	victim.throttled_ns = 300;
	event = switch_at(1900, hog, 1000, SLEEPS, victim, 1000);
	play(replay, &event);
	blame_between(replay, 500, 2500, ledgers);
	assert_int_equal(ledgers[VICTIM].wait_ns, 900);
	assert_int_equal(ledgers[VICTIM].throttled_wait_ns, 300);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 600);
	replay_free(replay);
}

static void test_a_wait_that_began_runnable_is_not_throttled_with_its_siblings(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), sibling = task(VICTIM, 4), hog = task(HOG, 2);
	struct truth_event event;
	struct ledger ledgers[MAX_PARTIES];

	(void)state;
	event = switch_at(1000, victim, 500, WAITS, sibling, 1000);
	play(replay, &event);
	sibling.throttled_since = 1100;
	event = switch_at(1100, sibling, 1000, WAITS | TRUTH_TASK_THROTTLED, hog, 1100);
	play(replay, &event);
	victim.throttled_ns = 300;
	event = switch_at(1500, hog, 1100, SLEEPS, victim, 1000);
	play(replay, &event);
	blame_between(replay, 500, 2500, ledgers);
	assert_int_equal(ledgers[VICTIM].throttled_wait_ns, 0);
	assert_int_equal(ledgers[VICTIM].blame_ns[VICTIM], 100);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 400);
	replay_free(replay);
}

static void test_before_tasks_were_throttled_one_by_one_a_queue_is_throttled_whole(void **state)
{
	struct replay *replay = fresh();
	struct truth_task victim = task(VICTIM, 1), sibling = task(VICTIM, 4), hog = task(HOG, 2);
	struct truth_event event;
	struct ledger ledgers[MAX_PARTIES];
	const uint32_t waits = TRUTH_ON_RQ | TRUTH_FAIR;

	(void)state;
	event = switch_at(1000, victim, 500, waits, sibling, 1000);
	play(replay, &event);
	event = switch_at(1100, sibling, 1000, waits | TRUTH_GROUP_THROTTLED, hog, 1100);
	play(replay, &event);
	victim.throttled_ns = 300;
	event = switch_at(1500, hog, 1100, TRUTH_FAIR, victim, 1000);
	event.next.flags = waits;
	play(replay, &event);
	blame_between(replay, 500, 2500, ledgers);
	assert_int_equal(ledgers[VICTIM].throttled_wait_ns, 300);
	assert_int_equal(ledgers[VICTIM].blame_ns[VICTIM], 100);
	assert_int_equal(ledgers[VICTIM].blame_ns[HOG], 100);
	replay_free(replay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wait_is_shared_by_all_who_ran),
		cmocka_unit_test(test_a_wait_counts_when_it_ends),
		cmocka_unit_test(test_a_switch_without_an_event_is_told_by_the_stamps_of_the_next),
		cmocka_unit_test(test_waits_that_nobody_saw_are_not_placed),
		cmocka_unit_test(test_a_migrated_part_is_charged_where_it_was_waited),
		cmocka_unit_test(test_the_throttled_part_is_nobodys),
		cmocka_unit_test(
			test_a_wait_that_began_runnable_is_not_throttled_with_its_siblings),
		cmocka_unit_test(
			test_before_tasks_were_throttled_one_by_one_a_queue_is_throttled_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
