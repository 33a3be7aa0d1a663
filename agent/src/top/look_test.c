#include "top/look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "top/figures.h"

static enum color_depth depth(const char *term, const char *colorterm, const char *no_color)
{
	const struct top_environment environment = {
		.term = term,
		.colorterm = colorterm,
		.no_color = no_color,
	};

	return top_look_of(&environment).palette.depth;
}

static void colors_are_those_that_the_terminal_has(void **state)
{
	(void)state;
	assert_int_equal(depth("xterm-256color", "truecolor", NULL), COLOR_TRUE);
	assert_int_equal(depth("xterm-direct", NULL, NULL), COLOR_TRUE);
	assert_int_equal(depth("xterm-256color", NULL, NULL), COLOR_256);
	assert_int_equal(depth("linux", NULL, NULL), COLOR_16);
	assert_int_equal(depth("xterm-256color", "truecolor", "1"), COLOR_NONE);
	assert_int_equal(depth("xterm-256color", "truecolor", ""), COLOR_TRUE); /* no-color.org */
	assert_int_equal(depth("dumb", "truecolor", NULL), COLOR_PLAIN);
	assert_int_equal(depth(NULL, NULL, NULL), COLOR_PLAIN);
}

static void locale_says_whether_there_is_utf8(void **state)
{
	struct top_environment environment = {.term = "xterm", .lang = "de_DE.UTF-8"};

	(void)state;
	assert_false(top_look_of(&environment).is_ascii);
	environment.lc_all = "C";
	assert_true(top_look_of(&environment).is_ascii);
	environment.lc_all = "";
	assert_false(top_look_of(&environment).is_ascii);
	environment.lang = NULL;
	assert_false(top_look_of(&environment).is_ascii);
}

static void light_ground_has_its_own_colors(void **state)
{
	struct top_environment environment = {.term = "xterm", .colorterm = "truecolor"};
	char dark[PALETTE_BYTES], light[PALETTE_BYTES];
	struct top_look look;

	(void)state;
	look = top_look_of(&environment);
	palette_sequence(&look.palette, STYLE_AGGRESSOR, dark);
	assert_string_equal(dark, "\x1b[0;38;2;251;164;104m");
	environment.colorfgbg = "0;default;15";
	look = top_look_of(&environment);
	palette_sequence(&look.palette, STYLE_AGGRESSOR, light);
	assert_string_equal(light, "\x1b[0;38;2;169;66;4m");
}

static void without_color_words_bold_and_reverse_are_left(void **state)
{
	const struct palette palette = {.depth = COLOR_NONE};
	char text[PALETTE_BYTES];

	(void)state;
	palette_sequence(&palette, STYLE_AGGRESSOR, text);
	assert_string_equal(text, "\x1b[0m");
	palette_sequence(&palette, STYLE_STRONG, text);
	assert_string_equal(text, "\x1b[0;1m");
	palette_sequence(&palette, STYLE_HEAD, text);
	assert_string_equal(text, "\x1b[0;7m");
}

static void latency_scales_by_itself(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "–"},
		{1280, "1.3 µs"},
		{83000, "83 µs"},
		{999600, "1.0 ms"},
		{1900000, "1.9 ms"},
		{96200000, "96.2 ms"},
		{131072000, "131 ms"},
		{999700000, "1.0 s"},
		{15032385536, "15.0 s"},
		{FIGURE_OPEN_NS, ">15.0 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[FIGURE_BYTES];

		figure_latency(cases[i].ns, false, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void percentile_is_the_bound_of_its_bucket(void **state)
{
	uint32_t counts[RUNQ_BUCKETS] = {0};

	(void)state;
	assert_int_equal(figure_percentile_ns(counts, 99), 0);
	counts[0] = 99;
	counts[40] = 1;
	assert_int_equal(figure_percentile_ns(counts, 99), hist_upper_ns(0));
	counts[40] = 2;
	assert_int_equal(figure_percentile_ns(counts, 99), hist_upper_ns(40));
	counts[RUNQ_BUCKETS - 1] = 50;
	assert_true(figure_percentile_ns(counts, 99) == FIGURE_OPEN_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colors_are_those_that_the_terminal_has),
		cmocka_unit_test(locale_says_whether_there_is_utf8),
		cmocka_unit_test(light_ground_has_its_own_colors),
		cmocka_unit_test(without_color_words_bold_and_reverse_are_left),
		cmocka_unit_test(latency_scales_by_itself),
		cmocka_unit_test(percentile_is_the_bound_of_its_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
