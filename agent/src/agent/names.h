#pragma once

#include "cgroup/table.h"
#include "wire/batch.h"

/* Between the cgroup table and everybody who wants names from it. */

/* The table as window_diff asks it. */
struct window_names cgroup_window_names(const struct cgroup_table *table);

/* Who is named in a batch: cgroups that are new, changed, or mentioned for the first time. */
struct announcer {
	struct cgroup_table *table;
	struct batch_identity *identities;
	uint64_t *cgroup_ids; /* of identities[i]; 0 for the fold row */
	uint64_t *mentioned;  /* container ids in this batch, each once */
	size_t n_mentioned, cap_mentioned;
	struct id_index mentioned_index;
	bool is_fold_announced;
};

int announcer_init(struct announcer *self, struct cgroup_table *table, size_t cap_rows);
void announcer_free(struct announcer *self);

/*
 * A container goes out as soon as it is known, a system cgroup when a row or pair first
 * mentions it: hosts have hundreds that never do anything. At most as many as fit, the
 * mentioned first; the rest goes with the next batch. A container that died and did nothing
 * worth a row is never heard of: ten thousand of them would only push others out.
 */
void announcer_fill(struct announcer *self, const struct window *window, struct batch *batch);

/* The parties of these events that were not announced yet, and nobody else. */
void announcer_fill_events(struct announcer *self, const struct batch_event *events,
			   size_t n_events, struct batch *batch);

/* The batch is on disk. */
void announcer_sent(struct announcer *self, const struct batch *batch);
void announcer_resend_all(struct announcer *self);

/* Who a container_id is, as of now. False: unknown. `table` is a struct cgroup_table. */
bool announcer_lookup(const void *table, uint64_t container_id, struct batch_identity *ret);
