#pragma once

#include "top/palette.h"

/* PURE: what the environment says about the terminal; NULL: not set. */
struct top_environment {
	const char *term, *colorterm, *colorfgbg, *no_color;
	const char *lc_all, *lc_ctype, *lang;
};

struct top_look {
	struct palette palette;
	bool is_ascii; /* the locale has no UTF-8 */
	bool is_dumb;  /* no cursor to move */
};

struct top_look top_look_of(const struct top_environment *environment);
