#include "wire/encode_builder.h"

typedef Neighborwatch__V1__Event pb_event;
typedef Neighborwatch__V1__EventShare pb_share;

static void build_share(const struct wait_share *from, uint64_t container_id, pb_share *to)
{
	to->ns = from->ns;
	if (from->who == WAIT_SHARE_IDLE) {
		to->who_case = NEIGHBORWATCH__V1__EVENT_SHARE__WHO_IDLE;
		to->idle = true;
	} else if (from->who == WAIT_SHARE_CGROUP && container_id != 0) {
		to->who_case = NEIGHBORWATCH__V1__EVENT_SHARE__WHO_CONTAINER_ID;
		to->container_id = container_id;
	} else {
		to->who_case = NEIGHBORWATCH__V1__EVENT_SHARE__WHO_UNATTRIBUTED;
		to->unattributed = true;
	}
}

static void build_event(struct builder *builder, const struct batch_event *from, pb_event *to)
{
	size_t n = from->event.n_shares;
	const pb_share initial = NEIGHBORWATCH__V1__EVENT_SHARE__INIT;
	pb_share **shares = builder_messages(builder, &n, &initial, sizeof(initial));

	to->number = from->number;
	to->kind = (Neighborwatch__V1__EventKind)from->event.kind;
	to->ended_at_unix_ns = from->ended_at_unix_ns;
	to->duration_ns = from->event.duration_ns;
	to->container_id = from->container_id;
	to->cpu = from->event.cpu;
	to->pid = from->event.pid;
	to->comm = builder_text(builder, from->event.comm);
	to->quota_level = (Neighborwatch__V1__QuotaLevel)from->event.quota_level;
	to->skipped = from->event.skipped;
	for (size_t i = 0; i < n; i++)
		build_share(&from->event.shares[i], from->share_ids[i], shares[i]);
	to->shares = shares;
	to->n_shares = n;
}

static void build_loss(struct builder *builder, const struct batch_event_loss *from,
		       Neighborwatch__V1__Batch *to)
{
	Neighborwatch__V1__EventLoss *loss;

	if (from->ring_full == 0 && from->queue_full == 0 && from->rate_limited == 0)
		return;
	loss = builder_alloc(builder, 1, sizeof(*loss));
	if (!loss)
		return;
	*loss = (Neighborwatch__V1__EventLoss)NEIGHBORWATCH__V1__EVENT_LOSS__INIT;
	loss->ring_full = from->ring_full;
	loss->queue_full = from->queue_full;
	loss->rate_limited = from->rate_limited;
	to->event_loss = loss;
}

void encode_events(struct builder *builder, const struct batch *batch, Neighborwatch__V1__Batch *to)
{
	size_t n = batch->n_events;
	const pb_event initial = NEIGHBORWATCH__V1__EVENT__INIT;
	pb_event **events = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++)
		build_event(builder, &batch->events[i], events[i]);
	to->events = events;
	to->n_events = n;
	build_loss(builder, &batch->event_loss, to);
}
