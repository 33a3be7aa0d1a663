#include "wire/utf8.h"

#include <stdbool.h>

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Length of the well-formed character at `c`, 0 if there is none (RFC 3629, table 3-7). */
static size_t character_length(const unsigned char *c)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (c[0] < 0x80)
		return 1;
	if (c[0] >= 0xc2 && c[0] <= 0xdf)
		length = 2;
	else if (c[0] >= 0xe0 && c[0] <= 0xef)
		length = 3;
	else if (c[0] >= 0xf0 && c[0] <= 0xf4)
		length = 4;
	else
		return 0;

	if (c[0] == 0xe0)
		low = 0xa0; /* shorter forms exist */
	else if (c[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (c[0] == 0xf0)
		low = 0x90;
	else if (c[0] == 0xf4)
		high = 0x8f; /* above U+10FFFF */
	if (c[1] < low || c[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (!is_continuation(c[i]))
			return 0;
	}
	return length;
}

void utf8_repair(char *text)
{
	while (*text) {
		size_t length = character_length((const unsigned char *)text);

		if (length == 0) {
			*text = '?';
			length = 1;
		}
		text += length;
	}
}
