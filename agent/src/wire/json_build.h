#pragma once

/* Shared by the files that write JSON lines, and by nobody else. */

#include <jansson.h>
#include <stdint.h>

#include "wire/json_lines.h"

/* NULL: out of memory. */
json_t *json_count(uint64_t value);
json_t *json_text(const char *from);	/* made valid UTF-8 */
json_t *json_id(uint64_t container_id); /* 16 hexadecimal digits */
json_t *json_instant(int64_t unix_ns);

/* Takes `value` over, also when it is NULL. -1: out of memory. */
int json_put(json_t *object, const char *key, json_t *value);
int json_put_number(json_t *object, const char *key, uint64_t value);
int json_put_name(json_t *object, const char *key, uint64_t container_id,
		  const struct json_names *names);

/* `value` if all of it could be put, r == 0; else NULL, and it is gone. */
json_t *json_whole(json_t *value, int r);

/* json_rows.c */
json_t *json_row(const struct window_row *row, const struct json_names *names);
json_t *json_pair(const struct window_pair *pair, const struct json_names *names);

/* json_events.c */
json_t *json_event(const struct batch_event *event, const struct json_names *names);
json_t *json_event_loss(const struct batch_event_loss *loss);

/* json_cost.c */
int json_put_collectors(json_t *line, const struct batch *batch);
int json_put_cost(json_t *line, const struct batch_cost *cost);
