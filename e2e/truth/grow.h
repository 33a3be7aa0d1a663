#pragma once

/* Arrays that grow; a replay that runs out of memory has nothing to say and exits. */
#include <stdio.h>
#include <stdlib.h>

static inline void *grow(void *items, size_t n, size_t *capacity, size_t size)
{
	if (n < *capacity)
		return items;
	*capacity = *capacity ? *capacity * 2 : 1024;
	items = realloc(items, *capacity * size);
	if (!items) {
		fputs("replay: out of memory\n", stderr);
		exit(1);
	}
	return items;
}
