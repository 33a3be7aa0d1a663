#include <stdio.h>

#include "top/figures.h"
#include "top/render_private.h"

#define BAR_MIN	    8
#define STOLE_WIDTH 7
#define SHARE_WIDTH 8
#define USED_WIDTH  9

struct aggressor_layout {
	size_t name, worst, bar;
	bool has_used;
};

static struct aggressor_layout fit_aggressors(size_t width, size_t name, size_t worst)
{
	const size_t fixed = 1 + STOLE_WIDTH + SHARE_WIDTH + 2;
	struct aggressor_layout layout = {.name = 27, .worst = TOP_NAME_COLUMNS, .has_used = true};
	size_t used = fixed + layout.name + layout.worst + USED_WIDTH;

	if (used > width) {
		layout.has_used = false;
		used -= USED_WIDTH;
	}
	if (used < width && name > layout.name) {
		layout.name += top_smaller(width - used, name - layout.name);
		used = fixed + layout.name + layout.worst + (layout.has_used ? USED_WIDTH : 0);
	}
	if (used < width && worst > layout.worst) {
		layout.worst += top_smaller(width - used, worst - layout.worst);
		used = fixed + layout.name + layout.worst + (layout.has_used ? USED_WIDTH : 0);
	}
	layout.bar = width > used + 2 + 2 + BAR_MIN ? width - used - 2 - 2 : 0;
	return layout;
}

static void paint_aggressor(const struct top_frame *frame, struct paint *paint,
			    const struct aggressor_layout *layout, const struct top_row *row,
			    double most)
{
	const struct top_row *victim = top_model_find(frame->model, row->worst_victim_id);
	const double share = frame->model->stolen > 0 ? row->stole / frame->model->stolen : 0;
	char text[FIGURE_BYTES] = "system";
	size_t bar;

	if (row->is_container)
		snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	paint_spaces(paint, STYLE_PLAIN, 1);
	paint_field(paint, row->is_container ? STYLE_AGGRESSOR : STYLE_SECOND, ALIGN_LEFT,
		    layout->name, row->name);
	top_paint_rate(paint, STYLE_STRONG, STOLE_WIDTH, row->stole, true);
	paint_field(paint, STYLE_PLAIN, ALIGN_RIGHT, SHARE_WIDTH, text);
	if (layout->has_used)
		top_paint_rate(paint, STYLE_PLAIN, USED_WIDTH, row->ran, true);
	paint_spaces(paint, STYLE_PLAIN, 2);
	paint_field(paint, STYLE_VICTIM, ALIGN_LEFT, layout->worst, victim ? victim->name : "-");
	if (layout->bar) {
		bar = (size_t)((double)layout->bar * row->stole / most + 0.5);
		paint_spaces(paint, STYLE_PLAIN, 2);
		paint_bar(paint, row->is_container ? STYLE_AGGRESSOR_MARK : STYLE_SYSTEM_MARK,
			  row->is_container ? "#" : "=",
			  row->is_container || paint->palette.depth > COLOR_NONE ? "█" : "▒",
			  bar > 0 ? bar : 1);
	}
	paint_end_line(paint);
}

void top_render_aggressors(const struct top_frame *frame, struct paint *paint, size_t max_rows)
{
	const struct top_row **rows = frame->scratch;
	const size_t n = top_model_aggressors(frame->model, frame->view->filter, rows);
	const size_t shown = top_smaller(n, max_rows);
	struct aggressor_layout layout;
	size_t name = 0, worst = 0;
	double most = 0;

	for (size_t i = 0; i < shown; i++) {
		const struct top_row *victim =
			top_model_find(frame->model, rows[i]->worst_victim_id);
		const size_t width = cells_width(rows[i]->name, paint->is_ascii);
		const size_t other = victim ? cells_width(victim->name, paint->is_ascii) : 0;

		name = name > width ? name : top_smaller(width, TOP_NAME_COLUMNS_MAX);
		worst = worst > other ? worst : top_smaller(other, TOP_NAME_COLUMNS_MAX);
		most = most > rows[i]->stole ? most : rows[i]->stole;
	}
	layout = fit_aggressors(paint->columns, name, worst);
	paint_spaces(paint, STYLE_HEAD, 1);
	paint_field(paint, STYLE_HEAD, ALIGN_LEFT, layout.name, "RAN WHILE OTHERS WAITED");
	paint_field(paint, STYLE_HEAD, ALIGN_RIGHT, STOLE_WIDTH, "STOLE");
	paint_field(paint, STYLE_HEAD, ALIGN_RIGHT, SHARE_WIDTH, "SHARE");
	if (layout.has_used)
		paint_field(paint, STYLE_HEAD, ALIGN_RIGHT, USED_WIDTH, "USED");
	paint_text(paint, STYLE_HEAD, "  WORST HIT");
	paint_spaces(paint, STYLE_HEAD, paint->columns);
	paint_end_line(paint);
	for (size_t i = 0; i < shown; i++)
		paint_aggressor(frame, paint, &layout, rows[i], most);
	if (n == 0) {
		paint_text(paint, STYLE_QUIET,
			   " nobody: no container waited while another cgroup ran");
		paint_end_line(paint);
	}
}
