#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/top_private.h"
#include "cgroup/path_identity.h"

#define CAP_PARTIES 1024 /* of pairs, with no row of their own */

/*
 * Seconds. The table keeps the dead for three refreshes: all of the longer window, in which
 * their names are still needed. Births are told at once where the kernel allows it.
 */
#define REFRESH_EVERY 4

struct top_name {
	uint64_t container_id;
	const struct cgroup *cgroup;
};

int agent_top_init(struct agent_top *self)
{
	const size_t cap_rows = self->agent->config->max_cgroups;
	const size_t cap_pairs = self->agent->snapshots[0].cap_pairs;
	int r = 0;

	self->agent_cpu = -1;
	for (size_t i = 0; i < TOP_SNAPSHOTS && r == 0; i++)
		r = snapshot_init(&self->seconds[i].snapshot, cap_rows, cap_pairs);
	if (r == 0)
		r = top_model_init(&self->model, cap_rows + 1 + CAP_PARTIES);
	if (r < 0)
		return r;
	self->scratch = calloc(self->model.capacity, sizeof(self->scratch[0]));
	self->names = calloc(cap_rows, sizeof(self->names[0]));
	return self->scratch && self->names ? 0 : -ENOMEM;
}

void agent_top_free(struct agent_top *self)
{
	for (size_t i = 0; i < TOP_SNAPSHOTS; i++)
		snapshot_free(&self->seconds[i].snapshot);
	top_model_free(&self->model);
	paint_free(&self->paint);
	free(self->scratch);
	free(self->names);
}

static int compare_names(const void *a, const void *b)
{
	const struct top_name *left = a, *right = b;

	return (left->container_id > right->container_id) -
	       (left->container_id < right->container_id);
}

/* Only until the table changes: the model copies what it needs. */
static void index_names(struct agent_top *self)
{
	const struct cgroup *cgroup;
	size_t cursor = 0;

	self->n_names = 0;
	while (self->n_names < self->agent->config->max_cgroups &&
	       (cgroup = cgroup_table_next(self->agent->cgroups, &cursor)))
		self->names[self->n_names++] =
			(struct top_name){cgroup->identity.container_id, cgroup};
	qsort(self->names, self->n_names, sizeof(self->names[0]), compare_names);
}

static bool has_text(const char *text)
{
	return text && *text;
}

/*
 * A pod's containers are often called the same in every pod: the pod tells them apart, and the
 * container is named only where the pod's name does not begin with it.
 */
static void name_of(const struct cgroup_identity *identity, char ret_name[TOP_NAME_BYTES])
{
	if (!has_text(identity->pod))
		snprintf(ret_name, TOP_NAME_BYTES, "%s", identity->name);
	else if (strncmp(identity->pod, identity->name, strlen(identity->name)) == 0)
		snprintf(ret_name, TOP_NAME_BYTES, "%s", identity->pod);
	else
		snprintf(ret_name, TOP_NAME_BYTES, "%s/%s", identity->pod, identity->name);
}

static bool find_name(const void *context, uint64_t container_id, char ret_name[TOP_NAME_BYTES])
{
	const struct agent_top *self = context;
	const struct top_name key = {.container_id = container_id};
	const struct top_name *found;

	if (container_id == container_id_of(false, FOLD_PATH)) {
		snprintf(ret_name, TOP_NAME_BYTES, "system (other)");
		return true;
	}
	found = bsearch(&key, self->names, self->n_names, sizeof(self->names[0]), compare_names);
	if (!found)
		return false;
	name_of(&found->cgroup->identity, ret_name);
	return true;
}

static void tell_clock(int64_t unix_ns, char ret_clock[9])
{
	const time_t seconds = (time_t)(unix_ns / (int64_t)NS_PER_SECOND);
	struct tm parts;

	localtime_r(&seconds, &parts);
	if (strftime(ret_clock, 9, "%H:%M:%S", &parts) == 0)
		snprintf(ret_clock, 9, "--:--:--");
}

static void name_cgroup(const struct agent_top *self, uint64_t cgroup_id,
			char ret_name[TOP_NAME_BYTES])
{
	const struct cgroup *cgroup = cgroup_table_find(self->agent->cgroups, cgroup_id);

	if (cgroup)
		name_of(&cgroup->identity, ret_name);
	else
		snprintf(ret_name, TOP_NAME_BYTES, "system (other)");
}

void agent_top_on_wait_event(struct agent_top *self, const struct wait_event *event)
{
	const int64_t offset = agent_wall_clock_ns() - (int64_t)clock_ns(CLOCK_MONOTONIC);
	struct top_event *to;

	if (self->n_events == TOP_EVENTS) {
		memmove(&self->events[0], &self->events[1],
			(TOP_EVENTS - 1) * sizeof(self->events[0]));
		self->n_events--;
	}
	to = &self->events[self->n_events++];
	*to = (struct top_event){
		.kind = event->kind,
		.duration_ns = event->duration_ns,
		.cpu = event->cpu,
		.quota_level = event->quota_level,
	};
	tell_clock((int64_t)event->ended_at_ns + offset, to->clock);
	name_cgroup(self, event->cgroup_id, to->victim);
	for (size_t i = 0; i < event->n_shares && i < TOP_EVENT_SHARES; i++) {
		to->shares[i].ns = event->shares[i].ns;
		if (event->shares[i].who == WAIT_SHARE_CGROUP)
			name_cgroup(self, event->shares[i].cgroup_id, to->shares[i].name);
		else
			snprintf(to->shares[i].name, TOP_NAME_BYTES, "%s",
				 event->shares[i].who == WAIT_SHARE_IDLE ? "idle" : "unattributed");
		to->n_shares++;
	}
}

/* The first collector that does not run as it should. */
static void look_for_trouble(struct agent_top *self)
{
	const struct collector_set *set = &self->agent->collectors;

	self->trouble[0] = '\0';
	for (size_t i = 0; i < set->n_running && !self->trouble[0]; i++) {
		const struct running_collector *running = &set->running[i];

		if (running->report.state != COLLECTOR_OK)
			snprintf(self->trouble, sizeof(self->trouble), "collector %s %s: %s",
				 running->collector->name,
				 running->report.state == COLLECTOR_DEGRADED ? "is degraded"
									     : "does not run",
				 running->report.reason);
	}
}

/* The books of the second, as for a window that is sent: cost, losses, governor. */
static void keep_books(struct agent_top *self, struct top_second *second)
{
	struct agent *agent = self->agent;
	struct batch batch;

	second->cost_ns = 0;
	if (batch_maker_fill(&agent->maker, &agent->window, second->snapshot.taken_at_ns, true,
			     &batch) < 0)
		return;
	agent_cost_fill(&agent->cost, &agent->collectors, &agent->window, &batch.cost);
	second->cost_ns = batch.cost.user_ns + batch.cost.system_ns;
	for (size_t i = 0; i < batch.cost.n_programs; i++)
		second->cost_ns += batch.cost.programs[i].run_ns;
	for (size_t i = 0; i < batch.n_collectors; i++)
		self->lost += batch.collectors[i].lost;
	self->lost += agent->window.dropped;
	self->governor_level = batch.cost.governor_level;
	snprintf(self->governor_reason, sizeof(self->governor_reason), "%s",
		 batch.cost.governor_reason ? batch.cost.governor_reason : "");
	batch_maker_sent(&agent->maker, &batch);
	collector_set_mark(&agent->collectors);
}

static const struct top_second *second_before(const struct agent_top *self, size_t n)
{
	return &self->seconds[(self->newest + TOP_SNAPSHOTS - n) % TOP_SNAPSHOTS];
}

void agent_top_measure(struct agent_top *self)
{
	struct agent *agent = self->agent;
	const struct window_names names = cgroup_window_names(agent->cgroups);
	struct top_second *second;

	agent_drain(agent);
	/* If it fails it is tried again; until then a new cgroup goes by its number. */
	if (self->n_reads++ % REFRESH_EVERY == 0)
		(void)cgroup_table_refresh(agent->cgroups);
	self->newest = (self->newest + 1) % TOP_SNAPSHOTS;
	if (self->n_seconds < TOP_SNAPSHOTS)
		self->n_seconds++;
	second = &self->seconds[self->newest];
	snapshot_reset(&second->snapshot, clock_ns(CLOCK_MONOTONIC));
	collector_set_read(&agent->collectors, &second->snapshot);
	snapshot_seal(&second->snapshot);
	if (self->n_seconds > 1)
		snapshot_carry(&second->snapshot, &second_before(self, 1)->snapshot,
			       &second_before(self, self->n_seconds - 1)->snapshot);
	look_for_trouble(self);
	if (self->n_seconds < 2) {
		(void)batch_maker_begin(&agent->maker); /* cost starts here: tried again below */
		collector_set_mark(&agent->collectors);
		return;
	}
	window_diff(&second_before(self, 1)->snapshot, &second->snapshot, &names, &agent->window);
	keep_books(self, second);
}

void agent_top_show_newest(struct agent_top *self)
{
	const size_t n = self->view.is_short || self->n_seconds < 2 ? 1 : self->n_seconds - 1;
	const struct snapshot *new = &self->seconds[self->newest].snapshot;
	const struct window_names names = cgroup_window_names(self->agent->cgroups);
	const struct top_names shown = {find_name, self};
	uint64_t cost_ns = 0;

	if (self->n_seconds < 2)
		return;
	window_diff(&second_before(self, n)->snapshot, new, &names, &self->agent->window);
	index_names(self);
	top_model_fill(&self->model, &self->agent->window, &shown);
	for (size_t i = 0; i < n; i++)
		cost_ns += second_before(self, i)->cost_ns;
	self->agent_cpu = (double)cost_ns / (double)self->model.duration_ns;
}

static uint64_t lost_events(const struct collector_set *set)
{
	uint64_t n = 0;

	for (size_t i = 0; i < set->n_running; i++)
		n += set->running[i].report.ring_lost;
	return n;
}

void agent_top_compose(struct agent_top *self)
{
	const struct agent *agent = self->agent;
	const struct top_frame frame = {
		.model = &self->model,
		.view = &self->view,
		.hostname = agent->host.hostname,
		.instance_type = agent->config->instance_type,
		.kernel_release = agent->host.kernel_release,
		.cpus = agent->host.cpus_online,
		.clock = self->clock,
		.agent_cpu = self->agent_cpu,
		.lost = self->lost + lost_events(&agent->collectors),
		.governor_level = self->governor_level,
		.governor_reason = self->governor_reason,
		.trouble = self->trouble,
		.events = self->events,
		.n_events = self->n_events,
		.scratch = self->scratch,
	};

	if (!self->view.is_paused || !self->clock[0])
		tell_clock(agent_wall_clock_ns(), self->clock);
	top_render(&frame, &self->paint);
}
