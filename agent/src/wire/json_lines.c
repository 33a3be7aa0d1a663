#include "wire/json_lines.h"

#include <errno.h>
#include <jansson.h>

#include "base/cleanup.h"
#include "wire/json_build.h"

static int put_host(json_t *to, const struct host_counters *from)
{
	json_t *host = json_object();
	int r = 0;

	r |= json_put_number(host, "cpus_online", from->cpus_online);
	r |= json_put_number(host, "user_ns", from->user_ns);
	r |= json_put_number(host, "system_ns", from->system_ns);
	r |= json_put_number(host, "idle_ns", from->idle_ns);
	r |= json_put_number(host, "iowait_ns", from->iowait_ns);
	r |= json_put_number(host, "steal_ns", from->steal_ns);
	r |= json_put_number(host, "context_switches", from->context_switches);
	r |= json_put(to, "host", host);
	return r;
}

static void json_putp(json_t **json)
{
	json_decref(*json);
}

static int write_line(FILE *stream, const json_t *line)
{
	if (json_dumpf(line, stream, JSON_COMPACT) < 0 || fputc('\n', stream) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

/* {"KEY": VALUE}; takes `value` over. */
static int write_single(FILE *stream, const char *key, json_t *value)
{
	cleanup(json_putp) json_t *line = json_object();

	if (json_put(line, key, value) != 0)
		return -ENOMEM;
	return write_line(stream, line);
}

/* The inside of an object, or one value of an array; takes `value` over. */
static int write_part(FILE *stream, json_t *value, size_t flags)
{
	cleanup(json_putp) json_t *owned = value;

	if (!owned)
		return -ENOMEM;
	if (json_dumpf(owned, stream, JSON_COMPACT | flags) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

static int write_text(FILE *stream, const char *text)
{
	if (fputs(text, stream) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}

static json_t *window_head(const struct window *window)
{
	json_t *head = json_object();
	int r = 0;

	r |= json_put(head, "started_at", json_instant(window->started_at_unix_ns));
	r |= json_put_number(head, "started_at_unix_ns", (uint64_t)window->started_at_unix_ns);
	r |= json_put_number(head, "duration_ns", window->duration_ns);
	r |= json_put_number(head, "dropped", window->dropped);
	r |= put_host(head, &window->host);
	return json_whole(head, r);
}

static json_t *window_tail(const struct batch *batch)
{
	json_t *tail = json_object();
	int r = 0;

	r |= json_put_collectors(tail, batch);
	r |= json_put_cost(tail, &batch->cost);
	r |= json_put(tail, "event_loss", json_event_loss(&batch->event_loss));
	return json_whole(tail, r);
}

/* Row by row: a window of thousands of pairs as one tree would be tens of megabytes. */
static int write_window(FILE *stream, const struct batch *batch, const struct json_names *names)
{
	const struct window *window = batch->window;
	int r;

	r = write_text(stream, "{");
	if (r == 0)
		r = write_part(stream, window_head(window), JSON_EMBED);
	for (size_t i = 0; i < window->n_rows && r == 0; i++) {
		r = write_text(stream, i == 0 ? ",\"cgroups\":[" : ",");
		if (r == 0)
			r = write_part(stream, json_row(&window->rows[i], names), 0);
	}
	if (r == 0)
		r = write_text(stream, window->n_rows == 0 ? ",\"cgroups\":[]" : "]");
	for (size_t i = 0; i < window->n_pairs && r == 0; i++) {
		r = write_text(stream, i == 0 ? ",\"blame\":[" : ",");
		if (r == 0)
			r = write_part(stream, json_pair(&window->pairs[i], names), 0);
	}
	if (r == 0)
		r = write_text(stream, window->n_pairs == 0 ? ",\"blame\":[]," : "],");
	if (r == 0)
		r = write_part(stream, window_tail(batch), JSON_EMBED);
	return r < 0 ? r : write_text(stream, "}\n");
}

static bool is_lossless(const struct batch_event_loss *loss)
{
	return loss->ring_full == 0 && loss->queue_full == 0 && loss->rate_limited == 0;
}

int json_line_write(FILE *stream, const struct batch *batch, const struct json_names *names)
{
	int r = 0;

	for (size_t i = 0; i < batch->n_events && r == 0; i++)
		r = write_single(stream, "event", json_event(&batch->events[i], names));
	if (r == 0 && batch->window)
		r = write_window(stream, batch, names);
	else if (r == 0 && !is_lossless(&batch->event_loss))
		r = write_single(stream, "event_loss", json_event_loss(&batch->event_loss));
	if (r < 0)
		return r;
	if (fflush(stream) == EOF)
		return errno ? -errno : -EIO;
	return 0;
}
