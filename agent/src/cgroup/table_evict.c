#include "cgroup/table_private.h"

/*
 * Who dies while a window runs has its last counts in that window, or in the next where the
 * kernel keeps the cgroup a little longer. One more, for events that are told late.
 */
#define DEAD_REFRESHES_KEPT 3

/* An exiting task may still run in a removed cgroup, but not for a whole refresh. */
#define RELEASED_AFTER_REFRESHES 2

/* Who ran less may be told as "other" when there are too many; who ran more may not. */
#define SHORT_RUN_NS UINT64_C(50000000)

/* Making room costs a pass over the table: so make it for several. */
#define EVICTED_AT_ONCE(capacity) ((capacity) / 8 + 1)

static bool is_short(const struct cgroup_table *self, const struct entry *entry)
{
	if (entry->born_at_ns == 0 || entry->died_at_ns < entry->born_at_ns)
		return false;
	return (entry->died_at_ns - entry->born_at_ns) * self->n_cpus < SHORT_RUN_NS;
}

enum rank {
	FLUSHED,	/* all windows that mention it are made */
	LIKELY_SHORT,	/* its window is made, most likely; and it can have run only shortly */
	LIKELY_FLUSHED, /* its window is made, most likely */
	SHORT,		/* its window is not made, but it can have run only shortly */
	N_RANKS,	/* stays */
};

static enum rank rank_of(const struct cgroup_table *self, const struct entry *entry)
{
	if (entry->cgroup.is_alive)
		return N_RANKS;
	if (entry->cgroup.dead_refreshes >= RELEASED_AFTER_REFRESHES)
		return FLUSHED;
	if (entry->cgroup.dead_refreshes == 1)
		return is_short(self, entry) ? LIKELY_SHORT : LIKELY_FLUSHED;
	return is_short(self, entry) ? SHORT : N_RANKS;
}

bool table_make_room(struct cgroup_table *self)
{
	size_t n_evicted = 0;

	for (enum rank rank = FLUSHED; rank < N_RANKS && n_evicted == 0; rank++) {
		for (size_t i = 0; i < self->n_entries; i++) {
			struct entry *entry = &self->entries[i];

			if (rank_of(self, entry) != rank)
				continue;
			entry->is_leaving = true;
			self->dropped += rank == SHORT;
			if (++n_evicted == EVICTED_AT_ONCE(self->capacity))
				break;
		}
	}
	table_compact(self);
	return n_evicted > 0;
}

void table_age(struct cgroup_table *self)
{
	for (size_t i = 0; i < self->n_entries; i++) {
		struct entry *entry = &self->entries[i];
		struct cgroup *cgroup = &entry->cgroup;

		if (cgroup->is_alive)
			continue;
		cgroup->dead_refreshes++;
		if (self->is_followed && cgroup->dead_refreshes >= RELEASED_AFTER_REFRESHES)
			cgroup->is_released = true;
		entry->is_leaving = cgroup->dead_refreshes > DEAD_REFRESHES_KEPT;
	}
	table_compact(self);
}
