#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Reads a whole small file into `buffer` and ends it with NUL. No allocation.
 * -EFBIG if it does not fit. `dir` is AT_FDCWD or a directory's descriptor.
 */
int file_read_into(int dir, const char *path, char *buffer, size_t capacity, size_t *ret_length);

/* The same into fresh memory, at most `max` bytes. The caller frees. */
int file_read(int dir, const char *path, size_t max, char **ret_text, size_t *ret_length);

/*
 * Replaces `name` in directory `dir` as a whole: temporary file, then rename. A
 * reader, or a kill -9 in the middle, finds the old or the new content.
 * `is_durable` adds fsync of file and directory: then a power cut finds it, too.
 */
int file_write_atomic(int dir, const char *name, const void *bytes, size_t length, mode_t mode,
		      bool is_durable);

/* mkdir -p of the last component only, then opens it. */
int directory_open(int dir, const char *path, mode_t mode, int *ret_fd);
