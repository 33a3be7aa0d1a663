#include "blame.h"

#include <string.h>

#include "rules.h"

static bool is_between(uint64_t at_ns, uint64_t from_ns, uint64_t to_ns)
{
	return at_ns > from_ns && at_ns <= to_ns;
}

/* Around the spans in which the queue was throttled; returns what lay in them. */
static uint64_t charge_around(const struct replay *replay, const struct wait *wait,
			      uint64_t charged[MAX_PARTIES])
{
	const struct throttled_queue *queue =
		throttles_find(&replay->throttles, wait->cpu, wait->cgroup_id);
	uint64_t at = wait->start, throttled_ns = 0;

	for (size_t i = 0; queue && i < queue->n; i++) {
		const uint64_t start = queue->spans[i].start, end = queue->spans[i].end;

		if (end <= at || start >= wait->end)
			continue;
		if (start > at) {
			timeline_charge(&replay->cpus[wait->cpu], at, start, charged);
			at = start;
		}
		throttled_ns += (end < wait->end ? end : wait->end) - at;
		at = end < wait->end ? end : wait->end;
	}
	timeline_charge(&replay->cpus[wait->cpu], at, wait->end, charged);
	return throttled_ns;
}

static uint64_t charge(const struct replay *replay, const struct wait *wait,
		       uint64_t charged[MAX_PARTIES])
{
	uint64_t from = wait->start;

	switch (wait->rule) {
	case THROTTLED_NEVER:
		break;
	case THROTTLED_AT_START:
		from = throttled_until(
			throttles_find(&replay->throttles, wait->cpu, wait->cgroup_id), wait->start,
			wait->end);
		break;
	case THROTTLED_WHOLLY:
		from = wait->end;
		break;
	case THROTTLED_WITH_QUEUE:
		return charge_around(replay, wait, charged);
	}
	timeline_charge(&replay->cpus[wait->cpu], from, wait->end, charged);
	return from - wait->start;
}

static void add_ran(const struct replay *replay, uint64_t from, uint64_t to, struct ledger *ret)
{
	for (size_t cpu = 0; cpu < MAX_CPUS; cpu++) {
		uint64_t ran[MAX_PARTIES] = {0};

		if (!replay->cpus[cpu].is_started)
			continue;
		timeline_charge(&replay->cpus[cpu], from, to, ran);
		for (size_t i = 0; i < MAX_PARTIES; i++)
			ret[i].ran_ns += ran[i];
	}
}

/* CLOCK_MONOTONIC to rq clock, by the last wait that ended before: both stamps are of one event. */
static uint64_t rq_clock_at(const struct replay *replay, uint64_t at_ns)
{
	uint64_t clock = at_ns;

	for (size_t i = 0; i < replay->n_waits; i++) {
		const struct wait *wait = &replay->waits[i];

		if (wait->ended_at_ns <= at_ns || clock == at_ns)
			clock = wait->end + (at_ns - wait->ended_at_ns);
		if (wait->ended_at_ns > at_ns)
			break;
	}
	return clock;
}

void blame_between(const struct replay *replay, uint64_t from_ns, uint64_t to_ns,
		   struct ledger *ret)
{
	const uint64_t from = rq_clock_at(replay, from_ns), to = rq_clock_at(replay, to_ns);

	memset(ret, 0, MAX_PARTIES * sizeof(*ret));
	for (size_t i = 0; i < replay->n_waits; i++) {
		const struct wait *wait = &replay->waits[i];
		struct ledger *victim = &ret[wait->party];

		if (!is_between(wait->ended_at_ns, from_ns, to_ns))
			continue;
		victim->wait_ns += wait->end - wait->start;
		victim->waits += !wait->is_migrated;
		if (wait->is_migrated)
			victim->migrated_wait_ns += wait->end - wait->start;
		victim->throttled_wait_ns += charge(replay, wait, victim->blame_ns);
		if (wait->is_migrated)
			continue;
		victim->last_occupant_ns[wait->prev_party] += wait->end - wait->start;
		if (wait->woken_at != 0 && wait->woken_at <= wait->end)
			victim->switch_in_ns[wait->prev_party] += wait->end - wait->woken_at;
	}
	for (size_t i = 0; i < replay->n_unlocated; i++) {
		const struct unlocated *gap = &replay->unlocated[i];

		if (is_between(gap->seen_at_ns, from_ns, to_ns))
			ret[gap->party].unlocated_wait_ns += gap->ns;
	}
	add_ran(replay, from, to, ret);
	rules_end_of_slice(replay, from, to, ret);
}

uint64_t blame_wait_of(const struct replay *replay, uint32_t pid, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < replay->n_waits; i++) {
		const struct wait *wait = &replay->waits[i];

		if (wait->pid == pid && is_between(wait->ended_at_ns, from_ns, to_ns))
			sum += wait->end - wait->start;
	}
	return sum;
}
