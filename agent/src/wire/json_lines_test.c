#include "wire/json_lines.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "wire/encode_fixture.h"

static bool find_name(const void *context, uint64_t container_id, struct batch_identity *ret)
{
	(void)context;
	for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
		if (identities[i].container_id != container_id)
			continue;
		*ret = identities[i];
		return true;
	}
	return false;
}

/* The lines that a batch becomes; the caller releases them. */
static size_t write_lines(const struct batch *batch, json_t **ret_lines, size_t capacity)
{
	const struct json_names who = {find_name, NULL};
	cleanup(freep) char *text = NULL;
	size_t length, n = 0;
	FILE *stream = open_memstream(&text, &length);

	assert_non_null(stream);
	assert_int_equal(json_line_write(stream, batch, &who), 0);
	fclose(stream);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(n < capacity);
		ret_lines[n] = json_loads(line, 0, NULL);
		assert_non_null(ret_lines[n++]);
	}
	return n;
}

static json_int_t integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

static void release(json_t **lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_decref(lines[i]);
}

static void events_come_first_and_the_window_is_one_line(void **state)
{
	const struct batch batch = full_batch();
	json_t *lines[4], *event;
	size_t n = write_lines(&batch, lines, 4);

	(void)state;
	assert_int_equal(n, 3);
	event = json_object_get(lines[0], "event");
	assert_string_equal(text_of(event, "kind"), "noisy_neighbor");
	assert_string_equal(text_of(event, "name"), "payments");
	assert_string_equal(text_of(event, "comm"), "payments-worker");
	assert_int_equal(json_array_size(json_object_get(event, "shares")), 5);
	assert_string_equal(text_of(json_array_get(json_object_get(event, "shares"), 0), "name"),
			    "batch-hog");
	assert_string_equal(text_of(json_array_get(json_object_get(event, "shares"), 4), "who"),
			    "idle");
	event = json_object_get(lines[1], "event");
	assert_string_equal(text_of(event, "quota_level"), "ancestor");
	assert_int_equal(integer(event, "skipped"), 6);
	assert_int_equal(integer(lines[2], "duration_ns"), 10 * SECOND);
	assert_int_equal(integer(json_object_get(lines[2], "event_loss"), "ring_full"), 3);
	release(lines, n);
}

static void a_line_adds_up(void **state)
{
	static const char *const parts[] = {"self_wait_ns",	   "neighbor_wait_ns",
					    "system_wait_ns",	   "throttled_own_wait_ns",
					    "idle_gap_wait_ns",	   "throttled_ancestor_wait_ns",
					    "unattributed_wait_ns"};
	const struct batch batch = full_batch();
	json_t *lines[4], *row, *pair;
	size_t n = write_lines(&batch, lines, 4), i, p;

	(void)state;
	json_array_foreach(json_object_get(lines[2], "cgroups"), i, row)
	{
		const json_t *sched = json_object_get(row, "sched");
		json_int_t of_pairs = 0, of_parts = 0;

		if (!sched)
			continue;
		for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)
			of_parts += integer(sched, parts[part]);
		assert_int_equal(of_parts, integer(sched, "wait_ns"));
		json_array_foreach(json_object_get(lines[2], "blame"), p, pair)
		{
			if (strcmp(text_of(pair, "victim_id"), text_of(row, "container_id")) == 0)
				of_pairs += integer(pair, "wait_ns");
		}
		assert_int_equal(of_pairs, integer(sched, parts[0]) + integer(sched, parts[1]) +
						   integer(sched, parts[2]));
	}
	release(lines, n);
}

static void cost_and_maps_are_told(void **state)
{
	const struct batch batch = full_batch();
	json_t *lines[4], *collector;
	const json_t *cost;
	size_t n = write_lines(&batch, lines, 4);

	(void)state;
	cost = json_object_get(lines[2], "cost");
	assert_string_equal(text_of(cost, "method"), "measured");
	assert_int_equal(integer(cost, "budget_ppm"), 10000);
	assert_int_equal(integer(cost, "governor_level"), 1);
	collector = json_array_get(json_object_get(lines[2], "collectors"), 0);
	assert_int_equal(integer(collector, "map_bytes"), 3145728);
	assert_int_equal(
		integer(json_array_get(json_object_get(collector, "maps"), 1), "failed_inserts"),
		4);
	release(lines, n);
}

static void without_a_window_there_are_only_events(void **state)
{
	struct batch batch = events_batch();
	json_t *lines[4];
	size_t n = write_lines(&batch, lines, 4);

	(void)state;
	assert_int_equal(n, 2);
	release(lines, n);
	batch.event_loss.ring_full = 9;
	n = write_lines(&batch, lines, 4);
	assert_int_equal(n, 3);
	assert_int_equal(integer(json_object_get(lines[2], "event_loss"), "ring_full"), 9);
	release(lines, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_first_and_the_window_is_one_line),
		cmocka_unit_test(a_line_adds_up),
		cmocka_unit_test(cost_and_maps_are_told),
		cmocka_unit_test(without_a_window_there_are_only_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
