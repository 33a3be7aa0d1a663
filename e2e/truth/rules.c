#include "rules.h"

#include <string.h>

#include "grow.h"

/* Somebody of `party` begins (+1) or ends (-1) to wait. */
struct step {
	uint64_t at;
	int change;
	unsigned int party;
};

/* At one instant the ends come last: who is switched in still waited when the slice ended. */
static int compare_steps(const void *a, const void *b)
{
	const struct step *left = a, *right = b;

	if (left->at != right->at)
		return left->at < right->at ? -1 : 1;
	return right->change - left->change;
}

static size_t steps_of(const struct replay *replay, uint32_t cpu, struct step **ret)
{
	struct step *steps = NULL;
	size_t n = 0, capacity = 0;

	for (size_t i = 0; i < replay->n_waits; i++) {
		const struct wait *wait = &replay->waits[i];

		if (wait->cpu != cpu || wait->start == wait->end)
			continue;
		steps = grow(steps, n, &capacity, sizeof(*steps));
		steps[n++] = (struct step){wait->start, 1, wait->party};
		steps = grow(steps, n, &capacity, sizeof(*steps));
		steps[n++] = (struct step){wait->end, -1, wait->party};
	}
	if (n > 0)
		qsort(steps, n, sizeof(*steps), compare_steps);
	*ret = steps;
	return n;
}

static void add_occupancy(struct ledger *ret, const int waiting[MAX_PARTIES], unsigned int runner,
			  uint64_t ns)
{
	for (size_t i = 0; i < MAX_PARTIES; i++)
		if (waiting[i] > 0)
			ret[i].occupancy_ns[runner] += ns;
}

static void add_slice(struct ledger *ret, const int waiting[MAX_PARTIES],
		      const struct segment *segment)
{
	for (size_t i = 0; i < MAX_PARTIES; i++)
		if (waiting[i] > 0)
			ret[i].end_of_slice_ns[segment->party] += segment->end - segment->start;
}

static void sweep(const struct timeline *cpu, const struct step *steps, size_t n_steps,
		  uint64_t from, uint64_t to, struct ledger *ret)
{
	int waiting[MAX_PARTIES] = {0};
	size_t next = 0;

	for (size_t i = 0; i < cpu->n; i++) {
		const struct segment *segment = &cpu->segments[i];
		const bool is_judged = segment->end > from && segment->end <= to;
		uint64_t at = segment->start;

		/* Those of this very end that begin have not waited during the slice. */
		while (next < n_steps && (steps[next].at < segment->end)) {
			if (is_judged && steps[next].at > at) {
				add_occupancy(ret, waiting, segment->party, steps[next].at - at);
				at = steps[next].at;
			}
			waiting[steps[next].party] += steps[next].change;
			next++;
		}
		if (!is_judged)
			continue;
		add_occupancy(ret, waiting, segment->party, segment->end - at);
		add_slice(ret, waiting, segment);
	}
}

void rules_end_of_slice(const struct replay *replay, uint64_t from, uint64_t to, struct ledger *ret)
{
	for (uint32_t cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct step *steps;
		size_t n;

		if (!replay->cpus[cpu].is_started)
			continue;
		n = steps_of(replay, cpu, &steps);
		sweep(&replay->cpus[cpu], steps, n, from, to, ret);
		free(steps);
	}
}
