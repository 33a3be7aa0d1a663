#include "top/look.h"

#include <stdlib.h>
#include <string.h>

static bool is_set(const char *value)
{
	return value && *value;
}

/* Nothing set is what containers and cron have, and then the terminal is a modern one. */
static bool is_ascii(const struct top_environment *environment)
{
	const char *locale = is_set(environment->lc_all)     ? environment->lc_all
			     : is_set(environment->lc_ctype) ? environment->lc_ctype
							     : environment->lang;

	if (!is_set(locale))
		return false;
	return !strcasestr(locale, "utf-8") && !strcasestr(locale, "utf8");
}

/* "15;0", "0;default;15": the last figure is the ground's colour. */
static bool is_light(const char *colorfgbg)
{
	const char *ground = colorfgbg ? strrchr(colorfgbg, ';') : NULL;

	return ground && (strcmp(ground + 1, "7") == 0 || strcmp(ground + 1, "15") == 0);
}

static enum color_depth depth_of(const struct top_environment *environment)
{
	const char *term = environment->term, *colorterm = environment->colorterm;

	if (is_set(environment->no_color))
		return COLOR_NONE;
	if (colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0))
		return COLOR_TRUE;
	if (strstr(term, "-direct"))
		return COLOR_TRUE;
	return strstr(term, "256color") ? COLOR_256 : COLOR_16;
}

struct top_look top_look_of(const struct top_environment *environment)
{
	const char *term = environment->term;
	struct top_look look = {
		.is_ascii = is_ascii(environment),
		.is_dumb = !is_set(term) || strcmp(term, "dumb") == 0,
	};

	look.palette.is_light = is_light(environment->colorfgbg);
	look.palette.depth = look.is_dumb ? COLOR_PLAIN : depth_of(environment);
	return look;
}
