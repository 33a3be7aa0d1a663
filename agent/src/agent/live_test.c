#include "agent/live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static void nobody_asked(void **state)
{
	struct live live = {0};

	(void)state;
	assert_false(live_is_on(&live));
	assert_false(live_ask(&live, 0, SECOND));
	assert_false(live_is_on(&live));
}

static void longer_wish_is_cut(void **state)
{
	struct live live = {0};

	(void)state;
	assert_true(live_ask(&live, 100000, 7 * SECOND));
	assert_int_equal(live.until_ns, (7 + LIVE_MAX_SECONDS) * SECOND);
}

static void new_wish_extends_and_never_shortens(void **state)
{
	struct live live = {0};

	(void)state;
	assert_true(live_ask(&live, 30, 10 * SECOND));
	live.started_at_unix_ns = 5;
	assert_false(live_ask(&live, 30, 20 * SECOND));
	assert_int_equal(live.until_ns, 50 * SECOND);
	assert_false(live_ask(&live, 5, 21 * SECOND));
	assert_int_equal(live.until_ns, 50 * SECOND);
	assert_int_equal(live.started_at_unix_ns, 5); /* the second that runs goes on */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_asked),
		cmocka_unit_test(longer_wish_is_cut),
		cmocka_unit_test(new_wish_extends_and_never_shortens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
