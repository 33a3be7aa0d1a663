#include "top/cells.h"

#include <stdio.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

/* East Asian wide and full-width, and pictures: two columns (Unicode 15, in whole blocks). */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},	{0x2329, 0x232a},   {0x23e9, 0x23ec},
	{0x2614, 0x2615},   {0x2648, 0x2653},	{0x26a1, 0x26a1},   {0x2705, 0x2705},
	{0x2728, 0x2728},   {0x274c, 0x274c},	{0x2795, 0x2797},   {0x2b1b, 0x2b1c},
	{0x2e80, 0x303e},   {0x3041, 0x33ff},	{0x3400, 0x4dbf},   {0x4e00, 0x9fff},
	{0xa000, 0xa4cf},   {0xa960, 0xa97f},	{0xac00, 0xd7a3},   {0xf900, 0xfaff},
	{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},   {0x16fe0, 0x18aff},
	{0x1aff0, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a},
	{0x1f200, 0x1f320}, {0x1f32d, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
	{0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Accents: no column of their own. */
static const struct range joining[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

/*
 * What a terminal may obey, what turns or hides text, and what no font has: escaped. Also
 * letters whose width terminals do not agree on (conjoining Hangul, soft hyphen).
 */
static const struct range unsafe[] = {
	{0x0000, 0x001f},   {0x007f, 0x009f},	{0x00ad, 0x00ad},     {0x034f, 0x034f},
	{0x061c, 0x061c},   {0x115f, 0x11ff},	{0x17b4, 0x17b5},     {0x180b, 0x180f},
	{0x200b, 0x200f},   {0x2028, 0x202e},	{0x2060, 0x206f},     {0x3164, 0x3164},
	{0xd7b0, 0xd7ff},   {0xe000, 0xf8ff},	{0xfeff, 0xfeff},     {0xffa0, 0xffa0},
	{0xfff0, 0xffff},   {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},   {0xe0000, 0xe0fff},
	{0xf0000, 0xfffff}, {0x40000, 0xdffff}, {0x100000, 0x10ffff},
};

#define IS_IN(ranges, c) is_in(ranges, sizeof(ranges) / sizeof((ranges)[0]), c)

static bool is_in(const struct range *ranges, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}

/* Bytes of the well-formed character at `text`, 0 if there is none (RFC 3629). */
static size_t decode(const unsigned char *text, uint32_t *ret_c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t n = text[0] < 0x80		    ? 1
			 : (text[0] & 0xe0) == 0xc0 ? 2
			 : (text[0] & 0xf0) == 0xe0 ? 3
			 : (text[0] & 0xf8) == 0xf0 ? 4
						    : 0;
	uint32_t c = n == 1 ? text[0] : text[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80) /* also at the end of the text */
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (n == 0 || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_c = c;
	return n;
}

static struct cell escape_byte(unsigned int byte)
{
	struct cell cell = {.taken = 1, .n_bytes = 4, .width = 4};

	snprintf(cell.bytes, sizeof(cell.bytes), "\\x%02x", byte & 0xff);
	return cell;
}

static struct cell escape_character(uint32_t c, size_t taken)
{
	struct cell cell = {.taken = taken};

	snprintf(cell.bytes, sizeof(cell.bytes), "\\u{%x}", c & 0x1fffff);
	cell.n_bytes = strlen(cell.bytes);
	cell.width = cell.n_bytes;
	return cell;
}

struct cell cell_next(const char *text, bool is_ascii)
{
	struct cell cell = {0};
	uint32_t c;

	cell.taken = decode((const unsigned char *)text, &c);
	if (cell.taken == 0)
		return escape_byte((unsigned char)*text);
	if (c < 0x20 || c == 0x7f)
		return escape_byte(c);
	if (IS_IN(unsafe, c) || (is_ascii && c >= 0x80))
		return escape_character(c, cell.taken);
	memcpy(cell.bytes, text, cell.taken);
	cell.n_bytes = cell.taken;
	cell.width = IS_IN(joining, c) ? 0 : IS_IN(wide, c) ? 2 : 1;
	return cell;
}

size_t cells_width(const char *text, bool is_ascii)
{
	size_t width = 0;

	while (*text) {
		const struct cell cell = cell_next(text, is_ascii);

		width += cell.width;
		text += cell.taken;
	}
	return width;
}
