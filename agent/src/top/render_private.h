#pragma once

/* Shared by the files that render, and by nobody else. */

#include "top/render.h"

#define TOP_NAME_COLUMNS     20 /* of a name, if there is no room for all of it */
#define TOP_NAME_COLUMNS_MAX 48

static inline size_t top_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void top_paint_rate(struct paint *paint, enum style style, size_t width, double rate,
		    bool is_known);

/* A head and at most `max_rows` rows. */
void top_render_victims(const struct top_frame *frame, struct paint *paint, size_t max_rows);
void top_render_aggressors(const struct top_frame *frame, struct paint *paint, size_t max_rows);
void top_render_help(struct paint *paint, size_t max_rows);
