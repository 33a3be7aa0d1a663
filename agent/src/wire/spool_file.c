#include "wire/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/hash.h"
#include "base/parse.h"

#define DISK_BLOCK_BYTES 4096

/* Host byte order: a spool does not travel. */
struct spool_header {
	char magic[8];
	uint64_t length; /* of what follows */
	uint64_t fnv1a;	 /* of what follows */
	int64_t started_at_unix_ns;
};

_Static_assert(sizeof(struct spool_header) == 32, "written to disk");

static const char magic[8] = "nwbatch1";

void spool_file_name(const uint8_t stream_id[16], uint64_t sequence,
		     char ret_name[SPOOL_NAME_BYTES])
{
	for (size_t i = 0; i < 16; i++)
		snprintf(ret_name + 2 * i, 3, "%02x", stream_id[i]);
	snprintf(ret_name + 32, SPOOL_NAME_BYTES - 32, "-%020llu.batch",
		 (unsigned long long)sequence);
}

bool spool_file_parse_name(const char *name, uint8_t ret_stream_id[16], uint64_t *ret_sequence)
{
	char id[33], expected[SPOOL_NAME_BYTES];
	uint8_t stream_id[16];
	uint64_t sequence;
	const char *end;

	if (strlen(name) < 34)
		return false;
	memcpy(id, name, 32);
	id[32] = '\0';
	if (parse_hex(id, stream_id, 16) < 0 ||
	    parse_u64(name + 33, UINT64_MAX, &end, &sequence) < 0)
		return false;
	/* One name per batch: no other spelling of it counts. */
	spool_file_name(stream_id, sequence, expected);
	if (strcmp(name, expected) != 0)
		return false;
	memcpy(ret_stream_id, stream_id, 16);
	*ret_sequence = sequence;
	return true;
}

int spool_file_write(int spool_dir, const char *name, int64_t started_at_unix_ns,
		     const uint8_t *bytes, size_t length)
{
	cleanup(freep) uint8_t *whole = malloc(sizeof(struct spool_header) + length);
	struct spool_header header = {
		.length = length,
		.fnv1a = fnv1a_64(FNV1A_64_START, bytes, length),
		.started_at_unix_ns = started_at_unix_ns,
	};

	if (!whole)
		return -ENOMEM;
	memcpy(header.magic, magic, sizeof(magic));
	memcpy(whole, &header, sizeof(header));
	memcpy(whole + sizeof(header), bytes, length);
	return file_write_atomic(spool_dir, name, whole, sizeof(header) + length, 0600, false);
}

int spool_file_read(int spool_dir, const char *name, size_t max_bytes, uint8_t **ret_bytes,
		    size_t *ret_length, int64_t *ret_started_at)
{
	cleanup(freep) char *whole = NULL;
	struct spool_header header;
	size_t length;
	int r;

	r = file_read(spool_dir, name, sizeof(header) + max_bytes, &whole, &length);
	if (r < 0)
		return r == -EFBIG || r == -EINVAL ? -EBADMSG : r;
	if (length < sizeof(header))
		return -EBADMSG;
	memcpy(&header, whole, sizeof(header));
	length -= sizeof(header);
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 || header.length != length ||
	    header.fnv1a != fnv1a_64(FNV1A_64_START, whole + sizeof(header), length))
		return -EBADMSG;

	memmove(whole, whole + sizeof(header), length);
	*ret_bytes = (uint8_t *)take_ptr(whole);
	*ret_length = length;
	if (ret_started_at)
		*ret_started_at = header.started_at_unix_ns;
	return 0;
}

uint64_t spool_file_cost_on_disk(uint64_t file_bytes)
{
	return (file_bytes + DISK_BLOCK_BYTES - 1) / DISK_BLOCK_BYTES * DISK_BLOCK_BYTES;
}

uint64_t spool_file_cost(size_t length)
{
	return spool_file_cost_on_disk(sizeof(struct spool_header) + length);
}
