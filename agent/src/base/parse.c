#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int parse_u64(const char *text, uint64_t max, const char **ret_end, uint64_t *ret_number)
{
	const char *c = text;
	uint64_t number = 0;

	if (*c < '0' || *c > '9')
		return -EINVAL;

	for (; *c >= '0' && *c <= '9'; c++) {
		uint64_t digit = (uint64_t)(*c - '0');

		if (number > (max - digit) / 10 || digit > max)
			return -ERANGE;
		number = number * 10 + digit;
	}
	if (!ret_end && *c != '\0')
		return -EINVAL;

	if (ret_end)
		*ret_end = c;
	*ret_number = number;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static int parse_with_unit(const char *text, const struct unit *units, uint64_t *ret_number)
{
	const char *end;
	uint64_t number;
	int r;

	r = parse_u64(text, UINT64_MAX, &end, &number);
	if (r < 0)
		return r;

	for (const struct unit *unit = units; unit->name; unit++) {
		if (strcmp(unit->name, end) != 0)
			continue;
		if (number > UINT64_MAX / unit->factor)
			return -ERANGE;
		*ret_number = number * unit->factor;
		return 0;
	}
	return -EINVAL;
}

int parse_duration_ns(const char *text, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{"ms", 1000000},      {"s", 1000000000}, {"m", 60000000000},
		{"h", 3600000000000}, {NULL, 0},
	};

	return parse_with_unit(text, units, ret_ns);
}

int parse_bytes(const char *text, uint64_t *ret_bytes)
{
	static const struct unit units[] = {
		{"", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {NULL, 0},
	};

	return parse_with_unit(text, units, ret_bytes);
}

int parse_percent_ppm(const char *text, uint64_t *ret_ppm)
{
	uint64_t percent, ppm, unit = 10000;
	const char *c;
	int r;

	r = parse_u64(text, 100, &c, &percent);
	if (r < 0)
		return r;
	ppm = percent * unit;
	if (*c == '.') {
		if (c[1] == '%')
			return -EINVAL;
		for (c++; *c >= '0' && *c <= '9'; c++) {
			if (unit == 1)
				return -ERANGE; /* finer than one in a million */
			unit /= 10;
			ppm += (uint64_t)(*c - '0') * unit;
		}
	}
	if (c[0] != '%' || c[1] != '\0')
		return -EINVAL;
	if (ppm > 1000000)
		return -ERANGE;
	*ret_ppm = ppm;
	return 0;
}

int parse_cpulist_count(const char *text, uint32_t *ret_count)
{
	const uint64_t max_cpu = 1u << 20; /* far above NR_CPUS: keeps sums within 32 bits */
	const char *c = text;
	uint64_t count = 0;

	while (*c && *c != '\n') {
		uint64_t first, last;
		int r;

		r = parse_u64(c, max_cpu, &c, &first);
		if (r < 0)
			return r;
		last = first;
		if (*c == '-') {
			r = parse_u64(c + 1, max_cpu, &c, &last);
			if (r < 0)
				return r;
		}
		if (last < first)
			return -EINVAL;
		count += last - first + 1;
		if (count > max_cpu)
			return -ERANGE;
		if (*c == ',' && c[1] != '\n' && c[1] != '\0')
			c++;
		else if (*c && *c != '\n')
			return -EINVAL;
	}
	if (*c == '\n' && c[1] != '\0')
		return -EINVAL;

	*ret_count = (uint32_t)count;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int parse_hex(const char *text, uint8_t *ret_bytes, unsigned int n_bytes)
{
	uint8_t bytes[64];
	unsigned int n = 0;

	if (n_bytes > sizeof(bytes))
		return -EINVAL;

	for (const char *c = text; *c && *c != '\n'; c++) {
		int high, low;

		if (*c == '-')
			continue;
		high = hex_digit(*c);
		low = high < 0 ? -1 : hex_digit(*++c);
		if (high < 0 || low < 0 || n == n_bytes)
			return -EINVAL;
		bytes[n++] = (uint8_t)(high << 4 | low);
	}
	if (n != n_bytes)
		return -EINVAL;

	memcpy(ret_bytes, bytes, n_bytes);
	return 0;
}
