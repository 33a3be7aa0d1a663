#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/backoff.h"
#include "wire/credentials.h"
#include "wire/outbox_state.h"
#include "wire/utf8.h"

static void well_formed_text_is_left_alone(void **state)
{
	static const char *const texts[] = {
		"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x90\xa7", "\xf4\x8f\xbf\xbf"};
	char copy[32];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(copy, sizeof(copy), "%s", texts[i]);
		utf8_repair(copy);
		assert_string_equal(copy, texts[i]);
	}
}

static void every_stray_byte_becomes_a_question_mark(void **state)
{
	static const char *const texts[][2] = {
		{"\xff", "?"},
		{"a\x80z", "a?z"},
		{"\xc0\xaf", "??"},	      /* overlong slash */
		{"\xe0\x80\xaf", "???"},      /* overlong slash */
		{"\xed\xa0\x80", "???"},      /* surrogate */
		{"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
		{"\xe2\x82", "??"},	      /* cut short at the end */
		{"\xf0\x9f\x90z", "???z"},
	};
	char copy[32];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(copy, sizeof(copy), "%s", texts[i][0]);
		utf8_repair(copy);
		assert_string_equal(copy, texts[i][1]);
	}
}

static void backoff_grows_to_a_minute_and_spreads_over_all_of_it(void **state)
{
	struct backoff backoff = {0};
	uint64_t limits[] = {1, 2, 4, 8, 16, 32, 60, 60};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const uint64_t limit_ns = limits[i] * 1000000000;
		struct backoff lowest = backoff;

		assert_int_equal(backoff_next_ns(&lowest, 0), 1);
		assert_int_equal(backoff_next_ns(&backoff, limit_ns - 1), limit_ns);
	}
}

static void enrolment_answer_is_taken_only_whole(void **state)
{
	static const char *const bad[] = {
		"",
		"{}",
		"{\"host_id\":\"1\"}",
		"{\"token\":\"nwh_x\"}",
		"{\"host_id\":1,\"token\":\"nwh_x\"}",
		"{\"host_id\":\"x\",\"token\":\"nwh_x\"}",
		"{\"host_id\":\"1\",\"token\":\"\"}",
		"{\"host_id\":\"1\",\"token\":\"nwh_x\\r\\nX-Evil: 1\"}",
		"{\"host_id\":\"99999999999999999999\",\"token\":\"nwh_x\"}",
	};
	struct credentials credentials = {.host_id = 7};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(enrolment_parse(bad[i], "https://a", &credentials) < 0);
	assert_int_equal(credentials.host_id, 7);
	assert_int_equal(enrolment_parse("{\"host_id\":\"12\",\"token\":\"nwh_x\",\"new\":1}",
					 "https://a", &credentials),
			 0);
	assert_int_equal(credentials.host_id, 12);
	assert_string_equal(credentials.token, "nwh_x");
	assert_string_equal(credentials.server, "https://a");
}

static void problem_documents_of_any_shape_are_survived(void **state)
{
	char detail[8];
	uint64_t number = 7;

	(void)state;
	problem_detail("<html>proxy</html>", detail, sizeof(detail));
	assert_string_equal(detail, "");
	problem_detail("{\"title\":\"Gone away for long\"}", detail, sizeof(detail));
	assert_string_equal(detail, "Gone aw");
	assert_int_equal(
		problem_number("{\"expected_sequence\":\"3\"}", "expected_sequence", &number),
		-EINVAL);
	assert_int_equal(problem_number("{\"expected_sequence\":-3}", "expected_sequence", &number),
			 -EINVAL);
	assert_int_equal(number, 7);
	assert_int_equal(problem_number("{\"expected_sequence\":3}", "expected_sequence", &number),
			 0);
	assert_int_equal(number, 3);
}

static void outbox_state_is_taken_only_whole(void **state)
{
#define HEAD                                                                   \
	"{\"boot_id\":\"00112233445566778899aabbccddeeff\",\"is_clean\":true," \
	"\"last_started_at_unix_ns\":5,\"dropped\":1,\"rejected\":2,\"streams\":"
	static const char good[] = HEAD "[{\"stream_id\":\"00112233445566778899aabbccddeeff\","
					"\"next_sequence\":9,\"lost_batches\":3}]}";
	static const char *const bad[] = {
		"",
		"[]",
		HEAD "[]}",
		HEAD "5}",
		HEAD "[{\"stream_id\":\"00\",\"next_sequence\":9,\"lost_batches\":3}]}",
		HEAD "[{\"stream_id\":\"00112233445566778899aabbccddeeff\",\"next_sequence\":0,"
		     "\"lost_batches\":3}]}",
		HEAD "[1,2,3,4,5,6,7,8,9]}",
	};
	struct outbox_state parsed = {.dropped = 77};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(outbox_state_parse(bad[i], strlen(bad[i]), &parsed) < 0);
	assert_int_equal(parsed.dropped, 77);
	assert_int_equal(outbox_state_parse(good, strlen(good), &parsed), 0);
	assert_true(parsed.is_clean);
	assert_int_equal(parsed.streams[0].next_sequence, 9);
	assert_int_equal(parsed.streams[0].lost_batches, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed_text_is_left_alone),
		cmocka_unit_test(every_stray_byte_becomes_a_question_mark),
		cmocka_unit_test(backoff_grows_to_a_minute_and_spreads_over_all_of_it),
		cmocka_unit_test(enrolment_answer_is_taken_only_whole),
		cmocka_unit_test(problem_documents_of_any_shape_are_survived),
		cmocka_unit_test(outbox_state_is_taken_only_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
