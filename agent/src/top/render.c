#include "top/render_private.h"

#include <stdio.h>
#include <string.h>

#include "top/figures.h"

#define POOL_BAR_MAX 64
#define POOL_BAR_MIN 8
#define EVENT_LINES  2
#define SHORT_SCREEN 20 /* lines: below, events give way to rows */

void top_paint_rate(struct paint *paint, enum style style, size_t width, double rate, bool is_known)
{
	char text[FIGURE_BYTES];

	figure_rate(rate, text);
	paint_field(paint, style, ALIGN_RIGHT, width,
		    is_known	      ? text
		    : paint->is_ascii ? "-"
				      : "–");
}

static void render_head(const struct top_frame *frame, struct paint *paint)
{
	const struct top_model *model = frame->model;
	char own[96], host[128], level[32] = "", right[64], cpu[FIGURE_BYTES] = "-";
	size_t left, middle, end, gap;

	if (frame->agent_cpu >= 0)
		snprintf(cpu, sizeof(cpu), "%.2f", 100 * frame->agent_cpu);
	if (frame->governor_level)
		snprintf(level, sizeof(level), ", governor %u", frame->governor_level);
	snprintf(own, sizeof(own), "agent %s %% CPU, %llu lost%s", cpu,
		 (unsigned long long)frame->lost, level);
	snprintf(right, sizeof(right), "window %.0f s  %s  ", (double)model->duration_ns / 1e9,
		 frame->clock);

	middle = strlen(own);
	end = strlen(right) + (frame->view->is_paused ? 6 : 4);
	left = paint->columns > end + 2 ? paint->columns - end - 2 : 0;
	paint_text(paint, STYLE_STRONG, "nwagent top  ");
	paint_field(paint, STYLE_PLAIN, ALIGN_LEFT,
		    left > paint->column + 12 && cells_width(frame->hostname, paint->is_ascii) >
							 left - paint->column
			    ? left - paint->column
			    : cells_width(frame->hostname, paint->is_ascii),
		    frame->hostname);
	/* What does not change is the first to give way. */
	snprintf(host, sizeof(host), "  %u CPUs  %s", frame->cpus, frame->kernel_release);
	if (frame->instance_type &&
	    paint->column + 2 + strlen(frame->instance_type) + strlen(host) + 2 + middle <= left)
		paint_format(paint, STYLE_QUIET, "  %s", frame->instance_type);
	if (paint->column + strlen(host) + 2 + middle <= left)
		paint_text(paint, STYLE_QUIET, host);
	if (paint->column + 2 + middle <= left) {
		gap = (left - paint->column - middle) / 2;
		paint_spaces(paint, STYLE_PLAIN, gap > 2 ? gap : 2);
		paint_text(paint, STYLE_QUIET, own);
	}
	if (paint->columns > end && paint->column < paint->columns - end)
		paint_spaces(paint, STYLE_PLAIN, paint->columns - end - paint->column);
	paint_text(paint, STYLE_QUIET, right);
	paint_text(paint, frame->view->is_paused ? STYLE_WARN : STYLE_QUIET,
		   frame->view->is_paused ? "paused" : "live");
	paint_end_line(paint);
}

static void render_waits(const struct top_frame *frame, struct paint *paint)
{
	const struct top_parts *wait = &frame->model->wait;
	const struct {
		const char *word;
		double rate;
		enum style style;
	} parts[] = {
		{"neighbor", wait->neighbor, STYLE_AGGRESSOR},
		{"system", wait->system, STYLE_SECOND},
		{"throttled", wait->throttled, STYLE_THROTTLED},
		{"self", wait->self, STYLE_SELF},
		{"idle", wait->idle, STYLE_QUIET},
		{"unattr", wait->unattributed, STYLE_QUIET},
	};
	const size_t gap = paint->columns < 100 ? 1 : 2;

	paint_text(paint, STYLE_QUIET, "wait");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char text[FIGURE_BYTES];

		figure_rate(parts[i].rate, text);
		paint_spaces(paint, STYLE_PLAIN, i == 0 ? 1 : gap);
		paint_format(paint, parts[i].style, "%s %s", parts[i].word, text);
	}
	if (paint->column + 14 <= paint->columns)
		paint_text(paint, STYLE_QUIET, "   CPU-s per s");
	paint_end_line(paint);
}

static const struct top_row *largest_user(const struct top_model *model)
{
	const struct top_row *largest = NULL;

	for (size_t i = 0; i < model->n_rows; i++) {
		if (model->rows[i].is_container && (!largest || model->rows[i].ran > largest->ran))
			largest = &model->rows[i];
	}
	return largest && largest->ran >= 0.05 ? largest : NULL;
}

static size_t bar_length(double rate, uint32_t cpus, size_t width)
{
	const double share = cpus ? rate / cpus : 0;

	return (size_t)((share < 1 ? share : 1) * (double)width + 0.5);
}

/* By its use alone nobody is an aggressor: the colour is for who stole. */
static void render_pool(const struct top_frame *frame, struct paint *paint)
{
	const struct top_model *model = frame->model;
	const struct top_row *first = largest_user(model);
	const double used = model->containers_used + model->system_used;
	const double others = model->containers_used - (first ? first->ran : 0);
	const bool is_stealing = first && first->stole >= TOP_VISIBLE_RATE;
	const enum style style = is_stealing ? STYLE_AGGRESSOR_MARK : STYLE_RAN;
	const bool is_shaded = paint->palette.depth <= COLOR_NONE;
	char share[48], rest[96], steal[48] = "";
	size_t length, width, n, filled;

	snprintf(share, sizeof(share), "%.1f %%", model->cpus ? 100 * used / model->cpus : 0.0);
	snprintf(rest, sizeof(rest), "%s%.1f, system %.1f", first ? " others " : "containers ",
		 others, model->system_used);
	if (model->steal >= TOP_VISIBLE_RATE)
		snprintf(steal, sizeof(steal), ", stolen by the hypervisor %.2f", model->steal);
	length = 5 + 1 + strlen(share) + strlen(rest) + strlen(steal) + 20 +
		 (first ? cells_width(first->name, paint->is_ascii) + 8 : 0);
	width = paint->columns > length ? paint->columns - length : 0;
	width = width < POOL_BAR_MIN ? POOL_BAR_MIN : width < POOL_BAR_MAX ? width : POOL_BAR_MAX;

	paint_text(paint, STYLE_QUIET, "pool ");
	n = first ? bar_length(first->ran, model->cpus, width) : 0;
	filled = bar_length(used, model->cpus, width);
	paint_bar(paint, style, "#", "█", n);
	length = bar_length(model->containers_used, model->cpus, width);
	paint_bar(paint, STYLE_RAN, "+", is_shaded ? "▓" : "█", length > n ? length - n : 0);
	n = length > n ? length : n;
	paint_bar(paint, STYLE_SYSTEM_MARK, "=", is_shaded ? "▒" : "█",
		  filled > n ? filled - n : 0);
	n = filled > n ? filled : n;
	paint_bar(paint, STYLE_QUIET, ".", is_shaded ? "·" : "░", width > n ? width - n : 0);
	paint_format(paint, STYLE_PLAIN, " %s", share);
	paint_format(paint, STYLE_QUIET, " of %u CPUs: ", model->cpus);
	if (first) {
		paint_text(paint, is_stealing ? STYLE_AGGRESSOR : STYLE_PLAIN, first->name);
		paint_format(paint, is_stealing ? STYLE_AGGRESSOR : STYLE_PLAIN, " %.1f",
			     first->ran);
	}
	paint_text(paint, STYLE_QUIET, rest);
	paint_text(paint, STYLE_WARN, steal);
	paint_end_line(paint);
}

/* Returns the lines used. */
static size_t render_notes(const struct top_frame *frame, struct paint *paint)
{
	size_t n = 0;

	if (frame->trouble[0]) {
		paint_text(paint, STYLE_WARN, frame->trouble);
		paint_end_line(paint);
		n++;
	}
	if (frame->governor_level) {
		paint_format(paint, STYLE_WARN, "governor level %u: ", frame->governor_level);
		paint_text(paint, STYLE_WARN, frame->governor_reason);
		paint_end_line(paint);
		n++;
	}
	return n;
}

static void render_event(const struct top_event *event, struct paint *paint)
{
	const bool is_throttling = event->kind == WAIT_EVENT_THROTTLING;
	char text[FIGURE_BYTES];

	figure_ms(event->duration_ns, text);
	paint_format(paint, STYLE_QUIET, "%s ", event->clock);
	paint_text(paint, is_throttling ? STYLE_THROTTLED : STYLE_AGGRESSOR,
		   is_throttling ? "throttling" : "noisy_neighbor");
	paint_text(paint, STYLE_PLAIN, "  ");
	paint_text(paint, STYLE_PLAIN, event->victim);
	if (is_throttling) {
		paint_format(paint, STYLE_PLAIN, " was throttled %s ms on CPU %u", text,
			     event->cpu);
		if (event->quota_level)
			paint_text(paint, STYLE_PLAIN,
				   event->quota_level == QUOTA_LEVEL_OWN
					   ? ": its own quota"
					   : ": the quota of a level above");
		paint_end_line(paint);
		return;
	}
	paint_format(paint, STYLE_PLAIN, " waited %s ms on CPU %u", text, event->cpu);
	for (size_t i = 0; i < event->n_shares; i++) {
		figure_ms(event->shares[i].ns, text);
		paint_text(paint, STYLE_PLAIN, i == 0 ? ": " : ", ");
		paint_text(paint, STYLE_PLAIN, event->shares[i].name);
		paint_format(paint, STYLE_PLAIN, " %s", text);
	}
	paint_end_line(paint);
}

static void render_keys(const struct top_frame *frame, struct paint *paint)
{
	static const struct {
		const char *key, *does;
	} keys[] = {
		{"q", "quit"},	{"s", "sort"},	     {"v", "victims/aggressors"},
		{"p", "pause"}, {"1", "1 s window"}, {"/", "filter"},
		{"?", "help"},
	};
	const struct top_view *view = frame->view;

	if (view->is_typing) {
		paint_text(paint, STYLE_STRONG, "/");
		paint_text(paint, STYLE_PLAIN, view->filter);
		paint_text(paint, STYLE_QUIET, "_   Enter: keep  Esc: all");
		return;
	}
	if (view->filter[0]) {
		paint_text(paint, STYLE_WARN, "only: ");
		paint_field(paint, STYLE_WARN, ALIGN_LEFT,
			    top_smaller(cells_width(view->filter, paint->is_ascii), 30),
			    view->filter);
		paint_spaces(paint, STYLE_PLAIN, 2);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *does = keys[i].does;

		if (keys[i].key[0] == '1' && view->is_short)
			does = "10 s window";
		else if (keys[i].key[0] == 'p' && view->is_paused)
			does = "go on";
		paint_format(paint, STYLE_QUIET, "%s%s ", i ? "  " : "", keys[i].key);
		paint_text(paint, STYLE_SECOND, does);
		if (keys[i].key[0] == 's' && paint->columns >= 90)
			paint_format(paint, STYLE_SECOND, " (%s)", top_sort_name(view->sort));
	}
}

struct budget {
	size_t victims, aggressors, events;
};

/* How many rows each table gets of the screen's lines; what one does not need goes to the other. */
static struct budget divide(const struct top_frame *frame, const struct paint *paint,
			    size_t n_above)
{
	const struct top_view *view = frame->view;
	const size_t n_victims =
		top_model_victims(frame->model, view->sort, view->filter, frame->scratch);
	const size_t n_aggressors =
		top_model_aggressors(frame->model, view->filter, frame->scratch);
	struct budget budget = {n_victims, n_aggressors, frame->n_events};
	size_t taken = n_above + (view->focus == TOP_BOTH ? 3 : 1) + 2; /* heads, blank, keys */
	size_t room;

	if (!paint->is_screen)
		return budget;
	budget.events =
		paint->lines >= SHORT_SCREEN ? top_smaller(frame->n_events, EVENT_LINES) : 0;
	taken += budget.events ? budget.events + 1 : 0;
	room = paint->lines > taken ? paint->lines - taken : 0;
	if (view->focus != TOP_BOTH) {
		budget.victims = top_smaller(n_victims, room);
		budget.aggressors = top_smaller(n_aggressors, room);
		return budget;
	}
	budget.victims = n_victims ? n_victims : 1; /* its line that says there are none */
	budget.aggressors = n_aggressors ? n_aggressors : 1;
	if (budget.victims + budget.aggressors > room) {
		const size_t least = top_smaller(budget.aggressors, room / 3);

		budget.victims = top_smaller(budget.victims, room - least);
		budget.aggressors = room - budget.victims;
	}
	return budget;
}

static void render_tables(const struct top_frame *frame, struct paint *paint, size_t n_above)
{
	const struct budget budget = divide(frame, paint, n_above);
	const enum top_focus focus = frame->view->focus;

	if (focus != TOP_AGGRESSORS)
		top_render_victims(frame, paint, budget.victims);
	if (focus == TOP_BOTH)
		paint_end_line(paint);
	if (focus != TOP_VICTIMS)
		top_render_aggressors(frame, paint, budget.aggressors);
	if (budget.events)
		paint_end_line(paint);
	for (size_t i = frame->n_events - budget.events; i < frame->n_events; i++)
		render_event(&frame->events[i], paint);
}

void top_render(const struct top_frame *frame, struct paint *paint)
{
	size_t n_above = 4;

	paint_start(paint);
	render_head(frame, paint);
	if (frame->model->duration_ns == 0) {
		paint_end_line(paint);
		paint_text(paint, STYLE_QUIET, "measuring: the first figures come after a second");
		paint_end_line(paint);
	} else {
		render_waits(frame, paint);
		render_pool(frame, paint);
		n_above += render_notes(frame, paint);
		paint_end_line(paint);
		if (frame->view->is_help)
			top_render_help(
				paint, paint->lines > n_above + 2 ? paint->lines - n_above - 2 : 0);
		else
			render_tables(frame, paint, n_above);
	}
	if (paint->is_screen) {
		paint_end_line(paint);
		render_keys(frame, paint);
	}
	paint_end_line(paint);
	paint_finish(paint);
}
