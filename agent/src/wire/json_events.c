#include "wire/json_build.h"

static json_t *share_json(const struct wait_share *from, uint64_t container_id,
			  const struct json_names *names)
{
	json_t *share = json_object();
	int r = 0;

	if (from->who == WAIT_SHARE_IDLE) {
		r |= json_put(share, "who", json_string("idle"));
	} else if (from->who == WAIT_SHARE_CGROUP && container_id != 0) {
		r |= json_put(share, "who", json_string("container"));
		r |= json_put(share, "container_id", json_id(container_id));
		r |= json_put_name(share, "name", container_id, names);
	} else {
		r |= json_put(share, "who", json_string("unattributed"));
	}
	r |= json_put_number(share, "ns", from->ns);
	if (r == 0)
		return share;
	json_decref(share);
	return NULL;
}

static int put_shares(json_t *to, const struct batch_event *from, const struct json_names *names)
{
	json_t *shares = json_array();
	int r = 0;

	for (size_t i = 0; i < from->event.n_shares; i++)
		r |= json_array_append_new(
			shares, share_json(&from->event.shares[i], from->share_ids[i], names));
	r |= json_put(to, "shares", shares);
	return r;
}

json_t *json_event(const struct batch_event *from, const struct json_names *names)
{
	static const char *const kinds[] = {"unspecified", "noisy_neighbor", "throttling"};
	static const char *const levels[] = {"none", "own", "ancestor"};
	const struct wait_event *event = &from->event;
	json_t *to = json_object();
	int r = 0;

	r |= json_put_number(to, "number", from->number);
	r |= json_put(to, "kind", json_string(kinds[event->kind]));
	r |= json_put(to, "ended_at", json_instant(from->ended_at_unix_ns));
	r |= json_put_number(to, "ended_at_unix_ns", (uint64_t)from->ended_at_unix_ns);
	r |= json_put_number(to, "duration_ns", event->duration_ns);
	r |= json_put(to, "container_id", json_id(from->container_id));
	r |= json_put_name(to, "name", from->container_id, names);
	r |= json_put_number(to, "cpu", event->cpu);
	r |= json_put_number(to, "pid", event->pid);
	r |= json_put(to, "comm", json_text(event->comm));
	r |= json_put(to, "quota_level", json_string(levels[event->quota_level]));
	r |= json_put_number(to, "skipped", event->skipped);
	r |= put_shares(to, from, names);
	if (r == 0)
		return to;
	json_decref(to);
	return NULL;
}

json_t *json_event_loss(const struct batch_event_loss *from)
{
	json_t *to = json_object();
	int r = 0;

	r |= json_put_number(to, "ring_full", from->ring_full);
	r |= json_put_number(to, "queue_full", from->queue_full);
	r |= json_put_number(to, "rate_limited", from->rate_limited);
	if (r == 0)
		return to;
	json_decref(to);
	return NULL;
}
