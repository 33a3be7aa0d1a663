#include "base/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void numbers_are_decimal_digits_and_nothing_else(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "0x10", "1e3", "1\n", "a"};
	uint64_t number = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_u64(bad[i], UINT64_MAX, NULL, &number), -EINVAL);
	assert_int_equal(number, 77); /* untouched on failure */
	assert_int_equal(parse_u64("007", UINT64_MAX, NULL, &number), 0);
	assert_int_equal(number, 7);
}

static void numbers_keep_to_their_range(void **state)
{
	uint64_t number;

	(void)state;
	assert_int_equal(parse_u64("18446744073709551615", UINT64_MAX, NULL, &number), 0);
	assert_true(number == UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", UINT64_MAX, NULL, &number), -ERANGE);
	assert_int_equal(parse_u64("99999999999999999999999", UINT64_MAX, NULL, &number), -ERANGE);
	assert_int_equal(parse_u64("255", 255, NULL, &number), 0);
	assert_int_equal(parse_u64("256", 255, NULL, &number), -ERANGE);
	assert_int_equal(parse_u64("9", 5, NULL, &number), -ERANGE);
	assert_int_equal(parse_u64("0", 0, NULL, &number), 0);
	assert_int_equal(parse_u64("1", 0, NULL, &number), -ERANGE);
}

static void number_can_stop_at_another_character(void **state)
{
	const char *text = "42 rest", *end;
	uint64_t number;

	(void)state;
	assert_int_equal(parse_u64(text, UINT64_MAX, &end, &number), 0);
	assert_int_equal(number, 42);
	assert_string_equal(end, " rest");
}

static void durations_need_a_unit(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(parse_duration_ns("500ms", &ns), 0);
	assert_int_equal(ns, 500000000);
	assert_int_equal(parse_duration_ns("10s", &ns), 0);
	assert_int_equal(ns, 10000000000);
	assert_int_equal(parse_duration_ns("2m", &ns), 0);
	assert_int_equal(ns, 120000000000);
	assert_int_equal(parse_duration_ns("10", &ns), -EINVAL);
	assert_int_equal(parse_duration_ns("10 s", &ns), -EINVAL);
	assert_int_equal(parse_duration_ns("99999999999999h", &ns), -ERANGE);
}

static void sizes_take_binary_units(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(parse_bytes("64MiB", &bytes), 0);
	assert_int_equal(bytes, 64 << 20);
	assert_int_equal(parse_bytes("4096", &bytes), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(parse_bytes("64MB", &bytes), -EINVAL);
	assert_int_equal(parse_bytes("99999999999999GiB", &bytes), -ERANGE);
}

static void percentages_are_parts_per_million(void **state)
{
	static const char *const bad[] = {"0.5", "5",	  ".5%",   "0.%", "%",
					  "-1%", "0.5 %", "0.5%x", ""};
	uint64_t ppm;

	(void)state;
	assert_int_equal(parse_percent_ppm("0.5%", &ppm), 0);
	assert_int_equal(ppm, 5000);
	assert_int_equal(parse_percent_ppm("100%", &ppm), 0);
	assert_int_equal(ppm, 1000000);
	assert_int_equal(parse_percent_ppm("0%", &ppm), 0);
	assert_int_equal(ppm, 0);
	assert_int_equal(parse_percent_ppm("12.3456%", &ppm), 0);
	assert_int_equal(ppm, 123456);
	assert_int_equal(parse_percent_ppm("0.00001%", &ppm), -ERANGE);
	assert_int_equal(parse_percent_ppm("100.0001%", &ppm), -ERANGE);
	assert_int_equal(parse_percent_ppm("101%", &ppm), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse_percent_ppm(bad[i], &ppm), -EINVAL);
}

static void cpulists_are_counted(void **state)
{
	static const struct {
		const char *text;
		uint32_t count;
	} good[] = {
		{"0\n", 1}, {"0-3\n", 4}, {"0-3,8,10-11\n", 7}, {"0-95", 96}, {"\n", 0}, {"", 0},
	};
	static const char *const bad[] = {"0-",	    "-3", "3-1",	  "0,,1", "0-3;",
					  "0-3\nx", "0,", "0-4294967295", "a"};
	uint32_t count = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse_cpulist_count(good[i].text, &count), 0);
		assert_int_equal(count, good[i].count);
	}
	count = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(parse_cpulist_count(bad[i], &count) < 0);
	assert_int_equal(count, 77);
}

static void hexadecimal_has_an_exact_length(void **state)
{
	static const uint8_t expected[4] = {0xde, 0xad, 0xbe, 0xef};
	uint8_t bytes[4] = {0};

	(void)state;
	assert_int_equal(parse_hex("dead-BEEF\n", bytes, 4), 0);
	assert_memory_equal(bytes, expected, 4);
	assert_int_equal(parse_hex("deadbe", bytes, 4), -EINVAL);
	assert_int_equal(parse_hex("deadbeef00", bytes, 4), -EINVAL);
	assert_int_equal(parse_hex("deadbee", bytes, 4), -EINVAL);
	assert_int_equal(parse_hex("deadbeeg", bytes, 4), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_decimal_digits_and_nothing_else),
		cmocka_unit_test(numbers_keep_to_their_range),
		cmocka_unit_test(number_can_stop_at_another_character),
		cmocka_unit_test(durations_need_a_unit),
		cmocka_unit_test(sizes_take_binary_units),
		cmocka_unit_test(percentages_are_parts_per_million),
		cmocka_unit_test(cpulists_are_counted),
		cmocka_unit_test(hexadecimal_has_an_exact_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
