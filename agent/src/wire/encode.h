#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/batch.h"

/*
 * PURE: a batch -> one encoded `batches` field of IngestRequest. Such fields appended
 * to a request's head make the whole request. The caller frees. Texts that are not
 * UTF-8, as a cgroup's path may be, have '?' for each byte that does not fit.
 */
int batch_encode(const struct batch *batch, uint8_t **ret_bytes, size_t *ret_length);

/*
 * PURE: a window -> a whole LiveRequest, with the pairs of this window alone. Collectors, facts,
 * events and the sequence of the batch are left out. The caller frees.
 */
int live_request_encode(uint64_t host_id, const struct batch *batch, uint8_t **ret_bytes,
			size_t *ret_length);

#define REQUEST_HEAD_MAX_BYTES 64

/* The rest of IngestRequest; returns its length. */
size_t request_head_encode(uint64_t host_id, const uint8_t stream_id[16], uint64_t lost_batches,
			   uint8_t ret_head[REQUEST_HEAD_MAX_BYTES]);
