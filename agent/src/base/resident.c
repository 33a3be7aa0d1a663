#include "base/resident.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/parse.h"

#define ANONYMOUS "Anonymous:"

/* One mapping of /proc/self/smaps. */
struct mapping {
	uint64_t start, end;
	bool is_clean_kind; /* of a file, private, and nobody may write to it */
};

/* "start-end rights offset major:minor inode path": the kernel's own text, in hexadecimal. */
static bool read_head(char *line, struct mapping *ret_mapping)
{
	char *at, *device;
	uint64_t start, end;

	start = strtoull(line, &at, 16);
	if (at == line || *at != '-')
		return false;
	end = strtoull(at + 1, &at, 16);
	device = strchr(at, ':');
	if (at[0] != ' ' || strlen(at) < 6 || !device)
		return false;
	*ret_mapping = (struct mapping){
		.start = start,
		.end = end,
		.is_clean_kind = strncmp(at + 1, "r-", 2) == 0 && at[4] == 'p' &&
				 strcspn(device, " ") > 0 &&
				 strncmp(device + strcspn(device, " "), " 0", 2) != 0,
	};
	return true;
}

/*
 * A page that was written to, as relocated tables are before they become read-only, exists
 * nowhere else: such a mapping is left alone.
 */
static void forget_if_clean(const struct mapping *mapping, uint64_t anonymous_kib)
{
	/* What cannot be forgotten stays: nothing is lost but memory. */
	if (mapping->is_clean_kind && anonymous_kib == 0)
		(void)madvise((void *)(uintptr_t)mapping->start, mapping->end - mapping->start,
			      MADV_DONTNEED);
}

int resident_trim(void)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	struct mapping mapping = {0};
	char line[512];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		const char *value = line + strlen(ANONYMOUS);
		uint64_t kib;

		if (read_head(line, &mapping) || strncmp(line, ANONYMOUS, strlen(ANONYMOUS)) != 0)
			continue;
		value += strspn(value, " ");
		if (parse_u64(value, UINT64_MAX, &value, &kib) == 0)
			forget_if_clean(&mapping, kib);
	}
	fclose(file);
	malloc_trim(0);
	return 0;
}
