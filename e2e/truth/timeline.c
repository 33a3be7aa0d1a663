#include "timeline.h"

#include "grow.h"

/* From `since` to `end`; `since` moves on. */
void timeline_add(struct timeline *self, uint64_t end, unsigned int party, uint32_t pid)
{
	if (end <= self->since)
		return;
	self->segments = grow(self->segments, self->n, &self->capacity, sizeof(*self->segments));
	self->segments[self->n++] = (struct segment){self->since, end, party, pid};
	self->since = end;
}

/* The first segment that ends after `at`. */
static size_t find(const struct timeline *self, uint64_t at)
{
	size_t low = 0, high = self->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (self->segments[middle].end > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void timeline_charge(const struct timeline *self, uint64_t from, uint64_t to,
		     uint64_t charged[MAX_PARTIES])
{
	uint64_t at = from;

	for (size_t i = find(self, from); at < to && i < self->n; i++) {
		const struct segment *segment = &self->segments[i];
		const uint64_t end = segment->end < to ? segment->end : to;

		if (segment->start >= to)
			break;
		if (segment->start > at) {
			charged[PARTY_UNKNOWN] += segment->start - at;
			at = segment->start;
		}
		charged[segment->party] += end - at;
		at = end;
	}
	if (at < to)
		charged[PARTY_UNKNOWN] += to - at;
}
