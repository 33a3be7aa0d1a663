#include "agent/names.h"

#include <errno.h>
#include <stdlib.h>

#include "cgroup/path_identity.h"

#define MAX_IDENTITIES 1024 /* in one batch: about 300 KiB */

static bool find_name(const void *table, uint64_t cgroup_id, struct cgroup_name *ret_name)
{
	const struct cgroup *cgroup = cgroup_table_find(table, cgroup_id);

	if (!cgroup)
		return false;
	ret_name->container_id = cgroup->identity.container_id;
	ret_name->is_container = cgroup->identity.is_container;
	ret_name->path = cgroup->path;
	return true;
}

static bool find_parent(const void *table, uint64_t cgroup_id, uint64_t *ret_parent_id)
{
	const struct cgroup *cgroup = cgroup_table_find(table, cgroup_id);

	if (!cgroup || cgroup->parent_id == 0)
		return false;
	*ret_parent_id = cgroup->parent_id;
	return true;
}

struct window_names cgroup_window_names(const struct cgroup_table *table)
{
	return (struct window_names){
		.find = find_name,
		.parent = find_parent,
		.table = table,
		.fold_container_id = container_id_of(false, FOLD_PATH),
	};
}

/* Who events tell of beyond the rows: bounded, since a batch holds so many events. */
#define MAX_EVENT_PARTIES ((size_t)BATCH_MAX_EVENTS * (1 + WAIT_EVENT_SHARES))

int announcer_init(struct announcer *self, struct cgroup_table *table, size_t cap_rows)
{
	struct announcer made = {.table = table, .cap_mentioned = cap_rows + 1 + MAX_EVENT_PARTIES};
	int r;

	made.identities = calloc(MAX_IDENTITIES, sizeof(made.identities[0]));
	made.cgroup_ids = calloc(MAX_IDENTITIES, sizeof(made.cgroup_ids[0]));
	made.mentioned = calloc(made.cap_mentioned, sizeof(made.mentioned[0]));
	r = made.identities && made.cgroup_ids && made.mentioned ? 0 : -ENOMEM;
	if (r == 0)
		r = id_index_init(&made.mentioned_index, made.cap_mentioned, made.mentioned,
				  sizeof(made.mentioned[0]), ID_INDEX_ONE_ID);
	if (r < 0) {
		announcer_free(&made);
		return r;
	}
	*self = made;
	return 0;
}

void announcer_free(struct announcer *self)
{
	free(self->identities);
	free(self->cgroup_ids);
	free(self->mentioned);
	id_index_free(&self->mentioned_index);
	*self = (struct announcer){0};
}

static void mention_nobody(struct announcer *self)
{
	self->n_mentioned = 0;
	id_index_clear(&self->mentioned_index);
}

static bool is_mentioned(const struct announcer *self, uint64_t container_id)
{
	return id_index_find(&self->mentioned_index, container_id, 0) != SIZE_MAX;
}

static void mention(struct announcer *self, uint64_t container_id)
{
	if (self->n_mentioned == self->cap_mentioned || is_mentioned(self, container_id))
		return;
	(void)id_index_put(&self->mentioned_index, container_id, 0, self->n_mentioned);
	self->mentioned[self->n_mentioned++] = container_id;
}

/* Below a container's own cgroup there may be more with the same id: it is named once. */
static bool is_topmost(const struct cgroup_table *table, const struct cgroup *cgroup)
{
	const struct cgroup *parent = cgroup_table_find(table, cgroup->parent_id);

	return !parent || parent->identity.container_id != cgroup->identity.container_id;
}

static struct batch_identity identity_of(const struct cgroup *cgroup)
{
	const struct cgroup_identity *identity = &cgroup->identity;

	return (struct batch_identity){
		.container_id = identity->container_id,
		.is_container = identity->is_container,
		.name = identity->name,
		.cgroup_path = cgroup->path,
		.runtime = identity->runtime,
		.runtime_id = identity->runtime_id,
		.image = identity->image,
		.pod = identity->pod,
		.namespace = identity->namespace,
		.pod_uid = identity->pod_uid,
		.labels = identity->labels,
	};
}

static struct batch_identity fold_identity(void)
{
	return (struct batch_identity){
		.container_id = container_id_of(false, FOLD_PATH),
		.name = "system (other)",
		.cgroup_path = FOLD_PATH,
	};
}

static void fill(struct announcer *self, bool of_mentioned, struct batch *batch)
{
	const struct cgroup *cgroup;
	size_t cursor = 0, n = batch->n_identities;

	while (n < MAX_IDENTITIES && (cgroup = cgroup_table_next(self->table, &cursor))) {
		const struct cgroup_identity *identity = &cgroup->identity;

		if (!cgroup->identity_changed || !is_topmost(self->table, cgroup))
			continue;
		if (is_mentioned(self, identity->container_id) != of_mentioned)
			continue;
		if (!of_mentioned && !(identity->is_container && cgroup->is_alive))
			continue;
		self->cgroup_ids[n] = cgroup->id;
		self->identities[n++] = identity_of(cgroup);
	}
	batch->n_identities = n;
}

static void fill_mentioned(struct announcer *self, struct batch *batch)
{
	batch->identities = self->identities;
	batch->n_identities = 0;
	if (!self->is_fold_announced && is_mentioned(self, container_id_of(false, FOLD_PATH))) {
		self->cgroup_ids[0] = 0;
		self->identities[0] = fold_identity();
		batch->n_identities = 1;
	}
	fill(self, true, batch);
}

void announcer_fill(struct announcer *self, const struct window *window, struct batch *batch)
{
	mention_nobody(self);
	for (size_t i = 0; i < window->n_rows; i++)
		mention(self, window->rows[i].container_id);
	/* Whoever is in a pair has a row, or is a container: what fits is enough. */
	for (size_t i = 0; i < window->n_pairs; i++) {
		mention(self, window->pairs[i].victim_id);
		mention(self, window->pairs[i].aggressor_id);
	}
	fill_mentioned(self, batch);
	fill(self, false, batch);
}

void announcer_fill_events(struct announcer *self, const struct batch_event *events,
			   size_t n_events, struct batch *batch)
{
	mention_nobody(self);
	for (size_t i = 0; i < n_events; i++) {
		mention(self, events[i].container_id);
		for (size_t s = 0; s < events[i].event.n_shares; s++)
			if (events[i].event.shares[s].who == WAIT_SHARE_CGROUP)
				mention(self, events[i].share_ids[s]);
	}
	fill_mentioned(self, batch);
}

void announcer_sent(struct announcer *self, const struct batch *batch)
{
	for (size_t i = 0; i < batch->n_identities; i++) {
		if (self->cgroup_ids[i])
			cgroup_table_identity_sent(self->table, self->cgroup_ids[i]);
		else
			self->is_fold_announced = true;
	}
}

void announcer_resend_all(struct announcer *self)
{
	self->is_fold_announced = false;
	cgroup_table_resend_identities(self->table);
}

bool announcer_lookup(const void *table, uint64_t container_id, struct batch_identity *ret)
{
	const struct cgroup *cgroup;

	if (container_id == container_id_of(false, FOLD_PATH)) {
		*ret = fold_identity();
		return true;
	}
	cgroup = cgroup_table_find_container(table, container_id);
	if (cgroup)
		*ret = identity_of(cgroup);
	return cgroup != NULL;
}
