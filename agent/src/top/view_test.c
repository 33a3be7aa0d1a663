#include "top/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static enum top_key_effect keys(struct top_view *view, const char *text)
{
	return top_view_keys(view, text, strlen(text));
}

static void each_key_does_its_own(void **state)
{
	struct top_view view = {0};

	(void)state;
	assert_int_equal(keys(&view, "s"), TOP_KEY_REDRAW);
	assert_int_equal(view.sort, TOP_SORT_NEIGHBOR);
	keys(&view, "S");
	assert_int_equal(view.sort, TOP_SORT_HARM);
	keys(&view, "S");
	assert_int_equal(view.sort, TOP_SORT_NAME);
	keys(&view, "vvv");
	assert_int_equal(view.focus, TOP_BOTH);
	assert_int_equal(keys(&view, "1"), TOP_KEY_MEASURE);
	assert_true(view.is_short);
	assert_int_equal(keys(&view, "p"), TOP_KEY_REDRAW);
	assert_true(view.is_paused);
	assert_int_equal(keys(&view, "p"), TOP_KEY_MEASURE);
	assert_int_equal(keys(&view, "?"), TOP_KEY_REDRAW);
	assert_true(view.is_help);
	assert_int_equal(keys(&view, "x"), TOP_KEY_NOTHING);
	assert_int_equal(keys(&view, "q"), TOP_KEY_QUIT);
}

static void function_keys_are_no_letters(void **state)
{
	struct top_view view = {0};

	(void)state;
	/* Arrow, page down, F1, a mouse's report: none of them ends with q, s or 1. */
	assert_int_equal(keys(&view, "\x1b[A\x1b[6~\x1bOP\x1b[<0;11;1M"), TOP_KEY_NOTHING);
	assert_int_equal(view.sort, TOP_SORT_HARM);
	assert_false(view.is_short);
}

static void filter_is_typed_and_dropped(void **state)
{
	struct top_view view = {0};

	(void)state;
	keys(&view, "/qs1");
	assert_string_equal(view.filter, "qs1");
	assert_true(view.is_typing);
	keys(&view, "\x7f\x7f");
	assert_string_equal(view.filter, "q");
	keys(&view, "ä\x7f");
	assert_string_equal(view.filter, "q");
	keys(&view, "\r");
	assert_false(view.is_typing);
	assert_string_equal(view.filter, "q");
	assert_int_equal(keys(&view, "\x1b"), TOP_KEY_REDRAW);
	assert_string_equal(view.filter, "");
}

static void filter_is_bounded_and_takes_no_control_character(void **state)
{
	struct top_view view = {0};

	(void)state;
	keys(&view, "/");
	for (int i = 0; i < 200; i++)
		keys(&view, "x\x01");
	assert_int_equal(strlen(view.filter), TOP_FILTER_BYTES - 1);
	keys(&view, "\x15");
	assert_string_equal(view.filter, "");
	keys(&view, "\x7f");
	assert_string_equal(view.filter, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_does_its_own),
		cmocka_unit_test(function_keys_are_no_letters),
		cmocka_unit_test(filter_is_typed_and_dropped),
		cmocka_unit_test(filter_is_bounded_and_takes_no_control_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
