#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wire/batch.h"

/* Who a container_id is. False: unknown. */
struct json_names {
	bool (*find)(const void *context, uint64_t container_id, struct batch_identity *ret);
	const void *context;
};

/*
 * A batch: each event as a line {"event": {...}}, then the window as one line, flushed. Without
 * a window only the events, and {"event_loss": {...}} if something was lost. Same words as on
 * the wire, names resolved, histograms as bounds and counts; no percentile is computed here.
 * "blame" holds the pairs of this window alone, not those merged for the wire, so that windows
 * can be added up.
 */
int json_line_write(FILE *stream, const struct batch *batch, const struct json_names *names);
