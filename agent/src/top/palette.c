#include "top/palette.h"

#include <stdint.h>
#include <stdio.h>

/* The colours of the pages (docs of the frontend's tokens), for the two grounds. */
static const struct {
	uint32_t dark, light; /* RGB; 0 = the terminal's own */
	const char *sixteen;  /* without the numbers of the two */
	const char *more;     /* bold, reverse */
} looks[N_STYLES] = {
	[STYLE_PLAIN] = {0, 0, "", ""},
	[STYLE_STRONG] = {0, 0, "", ";1"},
	[STYLE_QUIET] = {0x84909f, 0x5f6a78, ";90", ""},
	[STYLE_SECOND] = {0xa9b3c0, 0x465160, "", ""},
	[STYLE_VICTIM] = {0x7cc4f5, 0x0e649e, ";36", ""},
	[STYLE_RAN] = {0x1f4360, 0xcbe0f0, ";34", ""},
	[STYLE_SELF] = {0x79bdf0, 0x0e649e, ";36", ""},
	[STYLE_AGGRESSOR] = {0xfba468, 0xa94204, ";33", ""},
	[STYLE_AGGRESSOR_MARK] = {0xf0873f, 0xc24e08, ";33", ""},
	[STYLE_SYSTEM_MARK] = {0x7a8694, 0x4f5a67, ";37", ""},
	[STYLE_THROTTLED] = {0x52d3c1, 0x0a6f63, ";32", ""},
	[STYLE_WARN] = {0xe3b152, 0x8a5a00, ";33", ";1"},
	[STYLE_HEAD] = {0xa9b3c0, 0x465160, "", ";7"},
};

/* The nearest of the 6 x 6 x 6 colours that all 256-colour terminals share. */
static unsigned int cube_index(uint32_t rgb)
{
	unsigned int index = 16;

	for (unsigned int i = 0; i < 3; i++) {
		const unsigned int level = rgb >> (16 - 8 * i) & 0xff;
		const unsigned int step = level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40;

		index += step * (i == 0 ? 36 : i == 1 ? 6 : 1);
	}
	return index;
}

void palette_sequence(const struct palette *self, enum style style, char ret_text[PALETTE_BYTES])
{
	const uint32_t rgb = self->is_light ? looks[style].light : looks[style].dark;
	char color[24] = "";

	if (self->depth == COLOR_PLAIN) {
		ret_text[0] = '\0';
		return;
	}
	if (self->depth == COLOR_16)
		snprintf(color, sizeof(color), "%s", looks[style].sixteen);
	else if (self->depth == COLOR_256 && rgb)
		snprintf(color, sizeof(color), ";38;5;%u", cube_index(rgb));
	else if (self->depth == COLOR_TRUE && rgb)
		snprintf(color, sizeof(color), ";38;2;%u;%u;%u", rgb >> 16, rgb >> 8 & 0xff,
			 rgb & 0xff);
	snprintf(ret_text, PALETTE_BYTES, "\x1b[0%s%sm", color, looks[style].more);
}
