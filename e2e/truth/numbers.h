#pragma once

/* Unsigned decimal numbers separated by blanks. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* 0, or -EINVAL unless the text begins with `n` of them. */
static inline int numbers_parse(const char *text, uint64_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		errno = 0;
		ret[i] = strtoull(text, &end, 10);
		if (errno || end == text || text[0] == '-')
			return -EINVAL;
		text = end;
	}
	return 0;
}
