#include "wire/outbox_state.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"

#define STATE_FILE	"stream"
#define STATE_MAX_BYTES 16384

static void json_putp(json_t **json)
{
	json_decref(*json);
}

static int get_number(const json_t *object, const char *key, uint64_t *ret)
{
	const json_t *field = json_object_get(object, key);

	if (!json_is_integer(field) || json_integer_value(field) < 0)
		return -EINVAL;
	*ret = (uint64_t)json_integer_value(field);
	return 0;
}

static int get_id(const json_t *object, const char *key, uint8_t ret[16])
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? parse_hex(text, ret, 16) : -EINVAL;
}

static int get_stream(const json_t *object, struct outbox_stream *ret)
{
	int r = get_id(object, "stream_id", ret->id);

	if (r == 0)
		r = get_number(object, "next_sequence", &ret->next_sequence);
	if (r == 0)
		r = get_number(object, "lost_batches", &ret->lost_batches);
	return r == 0 && ret->next_sequence == 0 ? -EINVAL : r;
}

int outbox_state_parse(const char *text, size_t length, struct outbox_state *ret_state)
{
	cleanup(json_putp) json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	const json_t *streams = json_object_get(root, "streams");
	struct outbox_state state = {0};
	uint64_t last_started_at = 0;
	int r;

	r = get_id(root, "boot_id", state.boot_id);
	if (r == 0)
		r = get_number(root, "last_started_at_unix_ns", &last_started_at);
	if (r == 0)
		r = get_number(root, "dropped", &state.dropped);
	if (r == 0)
		r = get_number(root, "rejected", &state.rejected);
	if (r < 0)
		return r;
	state.last_started_at_unix_ns = (int64_t)last_started_at;
	state.is_clean = json_is_true(json_object_get(root, "is_clean"));
	state.n_streams = json_array_size(streams);
	if (state.n_streams == 0 || state.n_streams > OUTBOX_MAX_STREAMS)
		return -EINVAL;
	for (size_t i = 0; i < state.n_streams; i++) {
		r = get_stream(json_array_get(streams, i), &state.streams[i]);
		if (r < 0)
			return r;
	}
	*ret_state = state;
	return 0;
}

int outbox_state_load(int state_dir, struct outbox_state *ret_state)
{
	cleanup(freep) char *text = NULL;
	size_t length;
	int r;

	r = file_read(state_dir, STATE_FILE, STATE_MAX_BYTES, &text, &length);
	if (r < 0)
		return r == -EFBIG ? -EINVAL : r;
	return outbox_state_parse(text, length, ret_state);
}

static json_t *hex_text(const uint8_t bytes[16])
{
	char text[33];

	for (size_t i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

static json_t *state_json(const struct outbox_state *state)
{
	json_t *root = json_object(), *streams = json_array();
	int r = 0;

	for (size_t i = 0; i < state->n_streams; i++) {
		const struct outbox_stream *from = &state->streams[i];
		json_t *stream = json_object();

		r |= json_object_set_new(stream, "stream_id", hex_text(from->id));
		r |= json_object_set_new(stream, "next_sequence",
					 json_integer((json_int_t)from->next_sequence));
		r |= json_object_set_new(stream, "lost_batches",
					 json_integer((json_int_t)from->lost_batches));
		r |= json_array_append_new(streams, stream);
	}
	r |= json_object_set_new(root, "boot_id", hex_text(state->boot_id));
	r |= json_object_set_new(root, "is_clean", json_boolean(state->is_clean));
	r |= json_object_set_new(root, "last_started_at_unix_ns",
				 json_integer(state->last_started_at_unix_ns));
	r |= json_object_set_new(root, "dropped", json_integer((json_int_t)state->dropped));
	r |= json_object_set_new(root, "rejected", json_integer((json_int_t)state->rejected));
	r |= json_object_set_new(root, "streams", streams);
	if (r == 0)
		return root;
	json_decref(root);
	return NULL;
}

int outbox_state_save(int state_dir, const struct outbox_state *state, bool is_durable)
{
	cleanup(json_putp) json_t *root = state_json(state);
	cleanup(freep) char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;

	if (!text)
		return -ENOMEM;
	return file_write_atomic(state_dir, STATE_FILE, text, strlen(text), 0600, is_durable);
}
