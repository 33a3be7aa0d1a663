#include "top/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/figures.h"

#define VISIBLE 0.01 /* of demand */

int top_model_init(struct top_model *self, size_t capacity)
{
	*self = (struct top_model){.capacity = capacity};
	self->rows = calloc(capacity, sizeof(self->rows[0]));
	return self->rows ? 0 : -ENOMEM;
}

void top_model_free(struct top_model *self)
{
	free(self->rows);
	*self = (struct top_model){0};
}

static int compare_ids(const void *a, const void *b)
{
	const struct top_row *left = a, *right = b;

	return (left->container_id > right->container_id) -
	       (left->container_id < right->container_id);
}

static struct top_row *find_row(const struct top_model *self, uint64_t container_id)
{
	const struct top_row key = {.container_id = container_id};

	return bsearch(&key, self->rows, self->n_rows, sizeof(self->rows[0]), compare_ids);
}

const struct top_row *top_model_find(const struct top_model *self, uint64_t container_id)
{
	return find_row(self, container_id);
}

static enum top_part main_part(const struct top_row *row)
{
	const struct top_parts *wait = &row->wait;
	const struct {
		enum top_part part;
		double rate;
	} parts[] = {
		{TOP_NEIGHBOR, wait->neighbor},	   {TOP_SYSTEM, wait->system},
		{TOP_THROTTLED, wait->throttled},  {TOP_SELF, wait->self},
		{TOP_UNKNOWN, wait->unattributed},
	};
	size_t largest = 0;

	if (!row->has_waits)
		return TOP_NO_DATA;
	for (size_t i = 1; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].rate > parts[largest].rate)
			largest = i;
	}
	/* Without demand there is nothing to be harmed. */
	return parts[largest].rate >= VISIBLE * row->demand && row->demand > 0 ? parts[largest].part
									       : TOP_CLEAR;
}

static void fill_row(struct top_row *self, const struct window_row *from, double per_ns)
{
	const struct sched_counters *sched = &from->sched;

	*self = (struct top_row){
		.container_id = from->container_id,
		.is_container = from->is_container,
		.has_waits = from->has & CGROUP_HAS_SCHED,
	};
	if (!self->has_waits) {
		self->ran = (double)from->usage_ns * per_ns;
		self->mainly = TOP_NO_DATA;
		return;
	}
	self->ran = (double)sched->ran_ns * per_ns;
	self->demand = self->ran + (double)sched->wait_ns * per_ns;
	self->wait = (struct top_parts){
		.neighbor = (double)from->neighbor_wait_ns * per_ns,
		.system = (double)from->system_wait_ns * per_ns,
		.throttled =
			(double)(sched->throttled_own_wait_ns + sched->throttled_ancestor_wait_ns) *
			per_ns,
		.self = (double)from->self_wait_ns * per_ns,
		.idle = (double)sched->idle_gap_wait_ns * per_ns,
		.unattributed = (double)sched->unattributed_wait_ns * per_ns,
	};
	self->p99_ns = figure_percentile_ns(sched->runq, 99);
	self->mainly = main_part(self);
}

/* Whoever is in a pair but did nothing else; a name may be all that is known. */
static void add_party(struct top_model *self, size_t n_sorted, uint64_t container_id)
{
	const struct top_row key = {.container_id = container_id};

	if (self->n_rows == self->capacity ||
	    bsearch(&key, self->rows, n_sorted, sizeof(self->rows[0]), compare_ids))
		return;
	for (size_t i = n_sorted; i < self->n_rows; i++) {
		if (self->rows[i].container_id == container_id)
			return;
	}
	/* Only containers have no row: the others are folded into one that is there. */
	self->rows[self->n_rows++] = (struct top_row){
		.container_id = container_id,
		.is_container = true,
		.has_waits = true,
	};
}

static void sort_rows(struct top_model *self)
{
	qsort(self->rows, self->n_rows, sizeof(self->rows[0]), compare_ids);
}

static void add_pair(struct top_model *self, const struct window_pair *pair, double per_ns)
{
	struct top_row *victim = find_row(self, pair->victim_id);
	struct top_row *aggressor = find_row(self, pair->aggressor_id);
	const double rate = (double)pair->wait_ns * per_ns;

	if (!victim || !aggressor || victim == aggressor || pair->wait_ns == 0)
		return;
	if (rate > victim->worst_aggressor) {
		victim->worst_aggressor = rate;
		victim->worst_aggressor_id = aggressor->container_id;
	}
	if (!victim->is_container)
		return;
	aggressor->stole += rate;
	if (aggressor->is_container)
		self->stolen += rate;
	if (rate > aggressor->worst_victim) {
		aggressor->worst_victim = rate;
		aggressor->worst_victim_id = victim->container_id;
	}
}

static void add_totals(struct top_model *self, const struct top_row *row)
{
	if (!row->is_container) {
		self->system_used += row->ran;
		return;
	}
	self->containers_used += row->ran;
	self->wait.neighbor += row->wait.neighbor;
	self->wait.system += row->wait.system;
	self->wait.throttled += row->wait.throttled;
	self->wait.self += row->wait.self;
	self->wait.idle += row->wait.idle;
	self->wait.unattributed += row->wait.unattributed;
}

void top_model_fill(struct top_model *self, const struct window *window,
		    const struct top_names *names)
{
	const double per_ns = window->duration_ns ? 1.0 / (double)window->duration_ns : 0;
	struct top_model empty = {.rows = self->rows, .capacity = self->capacity};
	size_t n_sorted;

	*self = empty;
	self->duration_ns = window->duration_ns;
	self->cpus = window->host.cpus_online;
	self->steal = (double)window->host.steal_ns * per_ns;
	for (size_t i = 0; i < window->n_rows && i < self->capacity; i++)
		fill_row(&self->rows[self->n_rows++], &window->rows[i], per_ns);
	sort_rows(self);
	n_sorted = self->n_rows;
	for (size_t i = 0; i < window->n_pairs; i++) {
		add_party(self, n_sorted, window->pairs[i].victim_id);
		add_party(self, n_sorted, window->pairs[i].aggressor_id);
	}
	sort_rows(self);
	for (size_t i = 0; i < window->n_pairs; i++)
		add_pair(self, &window->pairs[i], per_ns);
	for (size_t i = 0; i < self->n_rows; i++) {
		struct top_row *row = &self->rows[i];

		add_totals(self, row);
		if (!names->find(names->context, row->container_id, row->name))
			snprintf(row->name, sizeof(row->name), "%016llx",
				 (unsigned long long)row->container_id);
	}
}

double top_row_harm(const struct top_row *row)
{
	return row->wait.neighbor + row->wait.system + row->wait.throttled;
}

static double sort_figure(const struct top_row *row, enum top_sort sort)
{
	switch (sort) {
	case TOP_SORT_HARM:
		return top_row_harm(row);
	case TOP_SORT_NEIGHBOR:
		return row->wait.neighbor;
	case TOP_SORT_THROTTLED:
		return row->wait.throttled;
	case TOP_SORT_SELF:
		return row->wait.self;
	case TOP_SORT_P99:
		return (double)row->p99_ns;
	case TOP_SORT_DEMAND:
	case TOP_SORT_NAME:
	case N_TOP_SORTS:
		break;
	}
	return row->demand;
}

static int compare_victims(const void *a, const void *b, void *context)
{
	const struct top_row *left = *(const struct top_row *const *)a;
	const struct top_row *right = *(const struct top_row *const *)b;
	const enum top_sort sort = *(const enum top_sort *)context;
	double x = sort_figure(left, sort), y = sort_figure(right, sort);

	if (left->is_container != right->is_container)
		return left->is_container ? -1 : 1;
	if (sort == TOP_SORT_NAME)
		return strcmp(left->name, right->name);
	/* What looks the same is the same: rows must not jump about for less than is shown. */
	if (sort != TOP_SORT_P99) {
		x = (double)(int64_t)(x * 100 + 0.5);
		y = (double)(int64_t)(y * 100 + 0.5);
	}
	if (x != y)
		return x > y ? -1 : 1;
	if (left->demand != right->demand)
		return left->demand > right->demand ? -1 : 1;
	return compare_ids(left, right);
}

static int compare_aggressors(const void *a, const void *b)
{
	const struct top_row *left = *(const struct top_row *const *)a;
	const struct top_row *right = *(const struct top_row *const *)b;

	if (left->is_container != right->is_container)
		return left->is_container ? -1 : 1;
	if (left->stole != right->stole)
		return left->stole > right->stole ? -1 : 1;
	return compare_ids(left, right);
}

static bool is_asked_for(const struct top_row *row, const char *filter)
{
	return !*filter || strcasestr(row->name, filter);
}

size_t top_model_victims(const struct top_model *self, enum top_sort sort, const char *filter,
			 const struct top_row **ret_rows)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n_rows; i++) {
		const struct top_row *row = &self->rows[i];

		/* System cgroups that only ran are in the pool's figure. */
		if (is_asked_for(row, filter) &&
		    (row->is_container ||
		     (row->has_waits && top_row_harm(row) >= TOP_VISIBLE_RATE)))
			ret_rows[n++] = row;
	}
	qsort_r(ret_rows, n, sizeof(ret_rows[0]), compare_victims, &sort);
	return n;
}

size_t top_model_aggressors(const struct top_model *self, const char *filter,
			    const struct top_row **ret_rows)
{
	size_t n = 0;

	for (size_t i = 0; i < self->n_rows; i++) {
		const struct top_row *row = &self->rows[i];

		if (row->stole >= TOP_VISIBLE_RATE && is_asked_for(row, filter))
			ret_rows[n++] = row;
	}
	qsort(ret_rows, n, sizeof(ret_rows[0]), compare_aggressors);
	return n;
}
