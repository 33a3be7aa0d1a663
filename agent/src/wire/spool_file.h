#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One batch = one file in spool/, named "<stream id, 32 digits>-<sequence, 20 digits>.batch". */
#define SPOOL_NAME_BYTES 64

void spool_file_name(const uint8_t stream_id[16], uint64_t sequence,
		     char ret_name[SPOOL_NAME_BYTES]);
bool spool_file_parse_name(const char *name, uint8_t ret_stream_id[16], uint64_t *ret_sequence);

int spool_file_write(int spool_dir, const char *name, int64_t started_at_unix_ns,
		     const uint8_t *bytes, size_t length);

/* -EBADMSG: torn or foreign. `ret_started_at` may be NULL. The caller frees `ret_bytes`. */
int spool_file_read(int spool_dir, const char *name, size_t max_bytes, uint8_t **ret_bytes,
		    size_t *ret_length, int64_t *ret_started_at);

/* What a file takes on disk: of a batch of `length` bytes, and of one found with `file_bytes`. */
uint64_t spool_file_cost(size_t length);
uint64_t spool_file_cost_on_disk(uint64_t file_bytes);
