#include "agent_names.h"

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

int announcer_init(struct announcer *self, struct cgroup_table *table, size_t cap_rows,
		   size_t cap_pairs)
{
	struct announcer made = {.table = table, .cap_mentioned = cap_rows + 1 + 2 * cap_pairs};

	made.identities = calloc(MAX_IDENTITIES, sizeof(made.identities[0]));
	made.cgroup_ids = calloc(MAX_IDENTITIES, sizeof(made.cgroup_ids[0]));
	made.mentioned = calloc(made.cap_mentioned, sizeof(made.mentioned[0]));
	if (!made.identities || !made.cgroup_ids || !made.mentioned) {
		announcer_free(&made);
		return -ENOMEM;
	}
	*self = made;
	return 0;
}

void announcer_free(struct announcer *self)
{
	free(self->identities);
	free(self->cgroup_ids);
	free(self->mentioned);
	*self = (struct announcer){0};
}

static int compare_ids(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void collect_mentioned(struct announcer *self, const struct window *window)
{
	size_t n = 0;

	for (size_t i = 0; i < window->n_rows && n < self->cap_mentioned; i++)
		self->mentioned[n++] = window->rows[i].container_id;
	for (size_t i = 0; i < window->n_pairs && n + 2 <= self->cap_mentioned; i++) {
		self->mentioned[n++] = window->pairs[i].victim_id;
		self->mentioned[n++] = window->pairs[i].aggressor_id;
	}
	qsort(self->mentioned, n, sizeof(self->mentioned[0]), compare_ids);
	self->n_mentioned = n;
}

static bool is_mentioned(const struct announcer *self, uint64_t container_id)
{
	return bsearch(&container_id, self->mentioned, self->n_mentioned,
		       sizeof(self->mentioned[0]), compare_ids) != NULL;
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

void announcer_fill(struct announcer *self, const struct window *window, struct batch *batch)
{
	const uint64_t fold_id = container_id_of(false, FOLD_PATH);
	const struct cgroup *cgroup;
	size_t cursor = 0, n = 0;

	collect_mentioned(self, window);
	if (!self->is_fold_announced && is_mentioned(self, fold_id)) {
		self->cgroup_ids[n] = 0;
		self->identities[n++] = fold_identity();
	}
	while (n < MAX_IDENTITIES && (cgroup = cgroup_table_next(self->table, &cursor))) {
		if (!cgroup->identity_changed || !is_topmost(self->table, cgroup))
			continue;
		if (!cgroup->identity.is_container &&
		    !is_mentioned(self, cgroup->identity.container_id))
			continue;
		self->cgroup_ids[n] = cgroup->id;
		self->identities[n++] = identity_of(cgroup);
	}
	batch->identities = self->identities;
	batch->n_identities = n;
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
	size_t cursor = 0;

	if (container_id == container_id_of(false, FOLD_PATH)) {
		*ret = fold_identity();
		return true;
	}
	while ((cgroup = cgroup_table_next(table, &cursor))) {
		if (cgroup->identity.container_id != container_id || !is_topmost(table, cgroup))
			continue;
		*ret = identity_of(cgroup);
		return true;
	}
	return false;
}
