#pragma once

#include <stdio.h>

#include "wire/batch.h"

/* Who a container_id is. False: unknown. */
struct json_names {
	bool (*find)(const void *context, uint64_t container_id, struct batch_identity *ret);
	const void *context;
};

/*
 * One batch as one line of JSON, flushed. Same words as on the wire, names resolved,
 * histograms as bounds and counts; no percentile is computed here.
 */
int json_line_write(FILE *stream, const struct batch *batch, const struct json_names *names);
