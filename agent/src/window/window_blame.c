#include "window/window_private.h"

struct party {
	uint64_t container_id;
	bool is_container;
	struct window_row *row; /* NULL: gave none */
	bool has_sched;		/* its wait is in the row */
};

static struct party party_of(const struct differ *self, uint64_t cgroup_id)
{
	const size_t at = id_index_find(&self->new->cgroup_index, cgroup_id, 0);
	struct window *window = self->window;
	struct cgroup_name name;

	if (at < window->cap_rows && window->marks[at].row_plus_1 != 0) {
		struct window_row *row = &window->rows[window->marks[at].row_plus_1 - 1];

		return (struct party){row->container_id, row->is_container, row,
				      window->marks[at].has_sched};
	}
	if (self->names->find(self->names->table, cgroup_id, &name) && name.is_container)
		return (struct party){name.container_id, true, NULL, false};
	return (struct party){self->names->fold_container_id, false,
			      window_row_of(window, self->names->fold_container_id, false, true),
			      false};
}

/* Whether somebody can be charged: the collector has id 0 for all that it could not tell apart. */
static bool is_known(const struct differ *self, const struct pair_counter *pair)
{
	struct cgroup_name name;

	if (pair->runner_cgroup_id == 0)
		return false;
	return pair->runner_cgroup_id == pair->waiter_cgroup_id ||
	       self->names->find(self->names->table, pair->runner_cgroup_id, &name);
}

static void add_to_row(const struct party *victim, const struct party *aggressor,
		       uint64_t preemptions, uint64_t wait_ns)
{
	struct window_row *row = victim->row;

	if (!row)
		return;
	if (preemptions > 0)
		row->has |= CGROUP_HAS_SCHED;
	if (victim->container_id == aggressor->container_id) {
		row->preempted_self += preemptions;
		row->self_wait_ns += wait_ns;
	} else if (aggressor->is_container) {
		row->preempted_other += preemptions;
		row->neighbor_wait_ns += wait_ns;
	} else {
		row->preempted_system += preemptions;
		row->system_wait_ns += wait_ns;
	}
}

static void add_to_pairs(struct window *window, const struct window_pair *add)
{
	size_t at = id_index_find(&window->pair_index, add->victim_id, add->aggressor_id);

	if (at != SIZE_MAX) {
		window->pairs[at].preemptions += add->preemptions;
		window->pairs[at].wait_ns += add->wait_ns;
		return;
	}
	if (window->n_pairs == window->cap_pairs) {
		window->dropped++;
		return;
	}
	at = id_index_put(&window->pair_index, add->victim_id, add->aggressor_id,
			  window->n_pairs++);
	window->pairs[at] = *add;
}

static void add_pair(const struct differ *self, const struct pair_counter *new)
{
	static const struct pair_counter zero;
	const struct pair_counter *found =
		snapshot_find_pair(self->old, new->waiter_cgroup_id, new->runner_cgroup_id);
	const struct pair_counter *old = found ? found : &zero;
	const uint64_t preemptions = new->preemptions - old->preemptions;
	uint64_t wait_ns = is_known(self, new) ? new->wait_ns - old->wait_ns : 0;
	struct party victim, aggressor;

	if (new->preemptions < old->preemptions || new->wait_ns < old->wait_ns)
		return;
	if (preemptions == 0 && wait_ns == 0)
		return;
	victim = party_of(self, new->waiter_cgroup_id);
	aggressor = party_of(self, new->runner_cgroup_id);
	/* Where the whole is not known, a part of it would make one up. */
	if (!victim.has_sched)
		wait_ns = 0;
	if (preemptions == 0 && wait_ns == 0)
		return;
	add_to_row(&victim, &aggressor, preemptions, wait_ns);
	add_to_pairs(self->window,
		     &(struct window_pair){victim.container_id, aggressor.container_id, preemptions,
					   wait_ns});
}

static void split(struct window_row *row)
{
	struct sched_counters *sched = &row->sched;
	const uint64_t known_ns = row->self_wait_ns + row->neighbor_wait_ns + row->system_wait_ns +
				  sched->throttled_own_wait_ns + sched->throttled_ancestor_wait_ns +
				  sched->idle_gap_wait_ns;

	/*
	 * Pairs and records are not read at one instant: waits that ended between the two reads
	 * are missing from the pairs of one window and surplus in the next. The parts are counted
	 * too, and none may be cut, so the whole follows them.
	 */
	if (known_ns > sched->wait_ns)
		sched->wait_ns = known_ns;
	sched->unattributed_wait_ns = sched->wait_ns - known_ns;
}

void window_blame(const struct differ *differ)
{
	struct window *window = differ->window;

	for (size_t i = 0; i < differ->new->n_pairs; i++)
		add_pair(differ, &differ->new->pairs[i]);
	for (size_t i = 0; i < window->n_rows; i++)
		split(&window->rows[i]);
}
