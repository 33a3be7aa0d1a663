#pragma once

#include <stdbool.h>

/* PURE: what a meaning looks like in a terminal. The words carry all of it without colour, too. */
enum style {
	STYLE_PLAIN,
	STYLE_STRONG,
	STYLE_QUIET,  /* labels, zeros */
	STYLE_SECOND, /* secondary text, system services */
	STYLE_VICTIM,
	STYLE_RAN,
	STYLE_SELF,
	STYLE_AGGRESSOR,
	STYLE_AGGRESSOR_MARK,
	STYLE_SYSTEM_MARK,
	STYLE_THROTTLED,
	STYLE_WARN,
	STYLE_HEAD, /* reverse video */
	N_STYLES,
};

enum color_depth {
	COLOR_PLAIN, /* no escape sequence at all: files, pipes, dumb terminals */
	COLOR_NONE,  /* NO_COLOR: bold and reverse video are left */
	COLOR_16,
	COLOR_256,
	COLOR_TRUE,
};

struct palette {
	enum color_depth depth;
	bool is_light; /* the terminal's ground */
};

#define PALETTE_BYTES 40

/* The sequence that switches to the style, from any other; "" at COLOR_PLAIN. */
void palette_sequence(const struct palette *self, enum style style, char ret_text[PALETTE_BYTES]);
