#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/sched/sched.h"
#include "sched.skel.h"

_Static_assert((int)SCHED_EVENT_NOISY_NEIGHBOR == (int)WAIT_EVENT_NOISY_NEIGHBOR, "one numbering");
_Static_assert((int)SCHED_EVENT_THROTTLING == (int)WAIT_EVENT_THROTTLING, "one numbering");
_Static_assert(SCHED_NEIGHBOR_NS == WAIT_EVENT_NEIGHBOR_NS, "one limit");
_Static_assert(SCHED_THROTTLED_NS == WAIT_EVENT_THROTTLED_NS, "one limit");

/* All shares of one event, before the small ones are put together. */
struct shares {
	struct wait_share all[SCHED_EVENT_SHARES];
	size_t n;
};

static void add_share(const struct sched *self, struct shares *shares, uint32_t slot, uint64_t ns)
{
	struct wait_share share = {.who = WAIT_SHARE_CGROUP, .ns = ns};

	if (slot == SLOT_IDLE)
		share.who = WAIT_SHARE_IDLE;
	else if (slot == SLOT_OVERFLOW || !cgroup_slots_owner(&self->slots, slot, &share.cgroup_id))
		share.who = WAIT_SHARE_UNATTRIBUTED;
	for (size_t i = 0; i < shares->n; i++) {
		if (shares->all[i].who != share.who || shares->all[i].cgroup_id != share.cgroup_id)
			continue;
		shares->all[i].ns += ns;
		return;
	}
	shares->all[shares->n++] = share;
}

static int longer_first(const void *a, const void *b)
{
	const struct wait_share *left = a, *right = b;

	return (left->ns < right->ns) - (left->ns > right->ns);
}

/* What is not among the longest seven, and what nobody knows, is one more. */
static void put_shares(struct shares *shares, struct wait_event *event)
{
	uint64_t named_ns = 0;

	qsort(shares->all, shares->n, sizeof(shares->all[0]), longer_first);
	for (size_t i = 0; i < shares->n && event->n_shares < WAIT_EVENT_SHARES - 1; i++) {
		if (shares->all[i].who == WAIT_SHARE_UNATTRIBUTED)
			continue;
		event->shares[event->n_shares++] = shares->all[i];
		named_ns += shares->all[i].ns;
	}
	if (named_ns >= event->duration_ns)
		return;
	event->shares[event->n_shares++] = (struct wait_share){.who = WAIT_SHARE_UNATTRIBUTED,
							       .ns = event->duration_ns - named_ns};
	qsort(event->shares, event->n_shares, sizeof(event->shares[0]), longer_first);
}

static bool names_a_neighbor(const struct wait_event *event)
{
	for (size_t i = 0; i < event->n_shares; i++)
		if (event->shares[i].who == WAIT_SHARE_CGROUP &&
		    event->shares[i].cgroup_id != event->cgroup_id)
			return true;
	return false;
}

static int hear(void *context, void *data, size_t size)
{
	const struct sched *self = context;
	const struct sched_event *told = data;
	struct wait_event event = {};
	struct shares shares = {};

	if (size < sizeof(*told) || !self->sink)
		return 0;
	event.kind = (enum wait_event_kind)told->kind;
	event.ended_at_ns = told->ended_at_ns;
	event.duration_ns = told->duration_ns;
	event.cgroup_id = told->cgroup_id;
	event.cpu = told->cpu;
	event.pid = told->pid;
	event.skipped = told->skipped;
	memcpy(event.comm, told->comm, sizeof(event.comm) - 1);
	if (told->slot == SLOT_AUTOGROUP)
		event.cgroup_id = self->slots.root_cgroup_id;
	if (event.kind == WAIT_EVENT_THROTTLING)
		event.quota_level = told->is_own_quota ? QUOTA_LEVEL_OWN : QUOTA_LEVEL_ANCESTOR;
	for (uint32_t i = 0; i < SCHED_EVENT_SHARES; i++)
		if (told->shares[i].ns != 0)
			add_share(self, &shares, told->shares[i].slot, told->shares[i].ns);
	if (event.kind == WAIT_EVENT_NOISY_NEIGHBOR) {
		put_shares(&shares, &event);
		if (!names_a_neighbor(&event))
			return 0;
	}
	self->sink->on_wait_event(self->sink->context, &event);
	return 0;
}

int sched_events_open(struct sched *self)
{
	self->ring = ring_buffer__new(bpf_map__fd(self->skel->maps.events), hear, self, NULL);
	return self->ring ? 0 : -errno;
}

void sched_events_close(struct sched *self)
{
	ring_buffer__free(self->ring);
}

int sched_events_hear(struct sched *self, const struct collector_sink *sink)
{
	int r;

	self->sink = sink;
	r = ring_buffer__consume(self->ring);
	self->sink = NULL;
	return r < 0 ? r : 0;
}

int sched_descriptor(const void *state)
{
	const struct sched *self = state;

	return ring_buffer__epoll_fd(self->ring);
}

/* Cheapest loss first; enum sched_level counts them. */
const char *const sched_optional_parts[] = {"event exemplars", "exact blame of short waits",
					    "waits before a migration", "blame", NULL};

int sched_set_level(void *state, unsigned int level)
{
	const struct sched *self = state;
	struct sched_bpf *skel = self->skel;

	__atomic_store_n(&skel->bss->level, level, __ATOMIC_RELAXED);
	if (level >= SCHED_LEVEL_NO_MIGRATIONS) {
		const int r = bpf_link__destroy(skel->links.sched_migrate_task);

		skel->links.sched_migrate_task = NULL;
		return r;
	}
	if (skel->links.sched_migrate_task)
		return 0;
	skel->links.sched_migrate_task = bpf_program__attach(skel->progs.sched_migrate_task);
	return skel->links.sched_migrate_task ? 0 : -errno;
}
