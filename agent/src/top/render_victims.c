#include <stdio.h>
#include <string.h>

#include "top/figures.h"
#include "top/render_private.h"

#define COLORED 0.01 /* of demand: less is nobody's harm */

enum column {
	COLUMN_NAME,
	COLUMN_DEMAND,
	COLUMN_RAN,
	COLUMN_NEIGHBOR,
	COLUMN_SYSTEM,
	COLUMN_THROTTLED,
	COLUMN_SELF,
	COLUMN_IDLE,
	COLUMN_UNATTRIBUTED,
	COLUMN_P99,
	COLUMN_MEANWHILE,
	COLUMN_MAINLY,
	N_COLUMNS,
};

static const struct {
	const char *head;
	size_t width; /* with the gap before it; of the two names only the gap */
} columns[N_COLUMNS] = {
	[COLUMN_NAME] = {"WAITS", 1},
	[COLUMN_DEMAND] = {"DEMAND", 8},
	[COLUMN_RAN] = {"RAN", 8},
	[COLUMN_NEIGHBOR] = {"NEIGHB", 8},
	[COLUMN_SYSTEM] = {"SYSTEM", 8},
	[COLUMN_THROTTLED] = {"THROTT", 8},
	[COLUMN_SELF] = {"SELF", 7},
	[COLUMN_IDLE] = {"IDLE", 7},
	[COLUMN_UNATTRIBUTED] = {"UNATTR", 8},
	[COLUMN_P99] = {"P99", 10},
	[COLUMN_MEANWHILE] = {"RAN MEANWHILE", 2},
	[COLUMN_MAINLY] = {"MAINLY", 11},
};

/*
 * What goes first when the terminal is narrow: first what makes the row add up, then what
 * MAINLY tells in a word, last who it was.
 */
static const enum column dropped_first[] = {
	COLUMN_UNATTRIBUTED, COLUMN_IDLE,   COLUMN_RAN,	      COLUMN_SELF,	COLUMN_SYSTEM,
	COLUMN_DEMAND,	     COLUMN_MAINLY, COLUMN_THROTTLED, COLUMN_MEANWHILE, COLUMN_P99,
};

struct layout {
	bool is_shown[N_COLUMNS];
	size_t name, meanwhile;
};

static size_t total(const struct layout *layout)
{
	size_t width = layout->name;

	for (size_t i = 0; i < N_COLUMNS; i++)
		width += layout->is_shown[i] ? columns[i].width : 0;
	return width + (layout->is_shown[COLUMN_MEANWHILE] ? layout->meanwhile : 0);
}

/* Whole names are worth more than the two columns that are nearly always zero. */
static struct layout fit(size_t width, size_t name, size_t meanwhile)
{
	struct layout layout = {.name = name, .meanwhile = meanwhile};
	const size_t n_rare = 2;
	size_t n_dropped = 0;

	memset(layout.is_shown, true, sizeof(layout.is_shown));
	for (; n_dropped < n_rare && total(&layout) > width; n_dropped++)
		layout.is_shown[dropped_first[n_dropped]] = false;
	layout.name = top_smaller(name, TOP_NAME_COLUMNS);
	layout.meanwhile = top_smaller(meanwhile, TOP_NAME_COLUMNS);
	for (;
	     n_dropped < sizeof(dropped_first) / sizeof(dropped_first[0]) && total(&layout) > width;
	     n_dropped++)
		layout.is_shown[dropped_first[n_dropped]] = false;
	if (total(&layout) < width)
		layout.name += top_smaller(width - total(&layout), name - layout.name);
	if (total(&layout) < width)
		layout.meanwhile +=
			top_smaller(width - total(&layout), meanwhile - layout.meanwhile);
	return layout;
}

static enum style part_style(const struct top_row *row, double rate, enum style style)
{
	return rate >= TOP_VISIBLE_RATE && rate >= COLORED * row->demand ? style : STYLE_QUIET;
}

/* Whom to show beside a row, and its share of what all but the row itself took. */
static const struct top_row *aggressor_of(const struct top_frame *frame, const struct top_row *row,
					  char ret_share[FIGURE_BYTES])
{
	const double all = row->wait.neighbor + row->wait.system;

	if (row->worst_aggressor < TOP_VISIBLE_RATE || all <= 0)
		return NULL;
	snprintf(ret_share, FIGURE_BYTES, "%.0f %%",
		 100 * (row->worst_aggressor < all ? row->worst_aggressor / all : 1));
	return top_model_find(frame->model, row->worst_aggressor_id);
}

static void paint_meanwhile(const struct top_frame *frame, struct paint *paint,
			    const struct layout *layout, const struct top_row *row)
{
	char share[FIGURE_BYTES];
	const struct top_row *aggressor = aggressor_of(frame, row, share);
	enum style style = STYLE_QUIET;
	size_t name, tail;

	paint_spaces(paint, STYLE_PLAIN, columns[COLUMN_MEANWHILE].width);
	if (!aggressor) {
		paint_field(paint, STYLE_QUIET, ALIGN_LEFT, layout->meanwhile, "-");
		return;
	}
	if (row->mainly == TOP_NEIGHBOR || row->mainly == TOP_SYSTEM)
		style = aggressor->is_container ? STYLE_AGGRESSOR : STYLE_SECOND;
	tail = strlen(share) + 1;
	name = top_smaller(cells_width(aggressor->name, paint->is_ascii), layout->meanwhile - tail);
	paint_field(paint, style, ALIGN_LEFT, name, aggressor->name);
	paint_spaces(paint, style, 1);
	paint_field(paint, style, ALIGN_LEFT, layout->meanwhile - name - 1, share);
}

static void paint_mainly(struct paint *paint, const struct top_row *row)
{
	static const struct {
		const char *word;
		enum style style;
	} parts[] = {
		[TOP_CLEAR] = {"clear", STYLE_QUIET},
		[TOP_NEIGHBOR] = {"neighbor", STYLE_AGGRESSOR},
		[TOP_SYSTEM] = {"system", STYLE_SECOND},
		[TOP_THROTTLED] = {"throttled", STYLE_THROTTLED},
		[TOP_SELF] = {"self", STYLE_SELF},
		[TOP_UNKNOWN] = {"unknown", STYLE_SECOND},
		[TOP_NO_DATA] = {"no data", STYLE_QUIET},
	};

	paint_spaces(paint, STYLE_PLAIN, 2);
	paint_text(paint, parts[row->mainly].style, parts[row->mainly].word);
}

static void paint_cell(const struct top_frame *frame, struct paint *paint,
		       const struct layout *layout, const struct top_row *row, enum column column)
{
	const bool is_harmed = row->mainly == TOP_NEIGHBOR || row->mainly == TOP_SYSTEM ||
			       row->mainly == TOP_THROTTLED;
	const struct {
		double rate;
		enum style style;
	} rates[N_COLUMNS] = {
		[COLUMN_NEIGHBOR] = {row->wait.neighbor, STYLE_AGGRESSOR},
		[COLUMN_SYSTEM] = {row->wait.system, STYLE_SECOND},
		[COLUMN_THROTTLED] = {row->wait.throttled, STYLE_THROTTLED},
		[COLUMN_SELF] = {row->wait.self, STYLE_SELF},
		[COLUMN_IDLE] = {row->wait.idle, STYLE_SECOND},
		[COLUMN_UNATTRIBUTED] = {row->wait.unattributed, STYLE_SECOND},
	};
	const size_t width = columns[column].width;
	char text[FIGURE_BYTES];

	switch (column) {
	case COLUMN_NAME:
		paint_spaces(paint, STYLE_PLAIN, width);
		paint_field(paint,
			    !row->is_container ? STYLE_SECOND
			    : is_harmed	       ? STYLE_VICTIM
					       : STYLE_PLAIN,
			    ALIGN_LEFT, layout->name, row->name);
		return;
	case COLUMN_DEMAND:
		top_paint_rate(paint, STYLE_PLAIN, width, row->demand, row->has_waits);
		return;
	case COLUMN_RAN:
		top_paint_rate(paint, STYLE_PLAIN, width, row->ran, true);
		return;
	case COLUMN_P99:
		figure_latency(row->p99_ns, paint->is_ascii, text);
		paint_field(paint, is_harmed ? STYLE_STRONG : STYLE_PLAIN, ALIGN_RIGHT, width,
			    text);
		return;
	case COLUMN_MEANWHILE:
		paint_meanwhile(frame, paint, layout, row);
		return;
	case COLUMN_MAINLY:
		paint_mainly(paint, row);
		return;
	default:
		top_paint_rate(paint, part_style(row, rates[column].rate, rates[column].style),
			       width, rates[column].rate, row->has_waits);
	}
}

static void paint_victim_head(struct paint *paint, const struct layout *layout, size_t shown,
			      size_t n)
{
	char title[64];

	if (shown < n)
		snprintf(title, sizeof(title), "WAITS %zu of %zu", shown, n);
	else
		snprintf(title, sizeof(title), "WAITS");
	for (enum column i = 0; i < N_COLUMNS; i++) {
		const size_t width = columns[i].width;

		if (!layout->is_shown[i])
			continue;
		if (i == COLUMN_NAME || i == COLUMN_MEANWHILE) {
			paint_spaces(paint, STYLE_HEAD, width);
			paint_field(paint, STYLE_HEAD, ALIGN_LEFT,
				    i == COLUMN_NAME ? layout->name : layout->meanwhile,
				    i == COLUMN_NAME ? title : columns[i].head);
		} else if (i == COLUMN_MAINLY) {
			paint_spaces(paint, STYLE_HEAD, 2);
			paint_field(paint, STYLE_HEAD, ALIGN_LEFT, width - 2, columns[i].head);
		} else {
			paint_field(paint, STYLE_HEAD, ALIGN_RIGHT, width, columns[i].head);
		}
	}
	paint_spaces(paint, STYLE_HEAD, paint->columns);
	paint_end_line(paint);
}

void top_render_victims(const struct top_frame *frame, struct paint *paint, size_t max_rows)
{
	const struct top_row **rows = frame->scratch;
	const size_t n =
		top_model_victims(frame->model, frame->view->sort, frame->view->filter, rows);
	const size_t shown = top_smaller(n, max_rows);
	size_t name = TOP_NAME_COLUMNS, meanwhile = TOP_NAME_COLUMNS;
	struct layout layout;

	for (size_t i = 0; i < shown; i++) {
		char share[FIGURE_BYTES];
		const struct top_row *aggressor = aggressor_of(frame, rows[i], share);
		const size_t width = cells_width(rows[i]->name, paint->is_ascii);
		const size_t other = aggressor ? cells_width(aggressor->name, paint->is_ascii) + 1 +
							 strlen(share)
					       : 0;

		name = name > width ? name : top_smaller(width, TOP_NAME_COLUMNS_MAX);
		meanwhile =
			meanwhile > other ? meanwhile : top_smaller(other, TOP_NAME_COLUMNS_MAX);
	}
	layout = fit(paint->columns, name, meanwhile);
	paint_victim_head(paint, &layout, shown, n);
	for (size_t i = 0; i < shown; i++) {
		for (enum column c = 0; c < N_COLUMNS; c++) {
			if (layout.is_shown[c])
				paint_cell(frame, paint, &layout, rows[i], c);
		}
		paint_end_line(paint);
	}
	if (n == 0) {
		paint_text(paint, STYLE_QUIET,
			   frame->view->filter[0] ? " no name has the filter's text in it"
						  : " no container ran or waited in this window");
		paint_end_line(paint);
	}
}
