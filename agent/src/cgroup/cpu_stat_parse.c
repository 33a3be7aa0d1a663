#include "cgroup/cpu_stat_parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"

#define NS_PER_US     1000ULL
#define NS_PER_SECOND 1000000000ULL

struct wanted {
	const char *key;
	uint64_t *number;
	uint64_t factor;
	bool is_found;
};

/* "key number" lines; a wanted key may come once. */
static int parse_lines(const char *text, struct wanted *wanted, size_t n_wanted)
{
	while (*text) {
		const size_t length = strcspn(text, " \n");

		for (size_t i = 0; i < n_wanted; i++) {
			const char *end;
			int r;

			if (strlen(wanted[i].key) != length ||
			    strncmp(wanted[i].key, text, length) != 0)
				continue;
			if (wanted[i].is_found || text[length] != ' ')
				return -EINVAL;
			r = parse_u64(text + length + 1, UINT64_MAX / wanted[i].factor, &end,
				      wanted[i].number);
			if (r < 0)
				return r;
			if (*end != '\n' && *end != '\0')
				return -EINVAL;
			*wanted[i].number *= wanted[i].factor;
			wanted[i].is_found = true;
		}
		text += strcspn(text, "\n");
		if (*text)
			text++;
	}
	return 0;
}

int cpu_stat_parse(const char *text, struct cpu_counters *counters, uint32_t *ret_has)
{
	struct cpu_counters parsed = *counters;
	struct wanted wanted[] = {
		{"usage_usec", &parsed.usage_ns, NS_PER_US, false},
		{"user_usec", &parsed.user_ns, NS_PER_US, false},
		{"system_usec", &parsed.system_ns, NS_PER_US, false},
		{"nr_periods", &parsed.nr_periods, 1, false},
		{"nr_throttled", &parsed.nr_throttled, 1, false},
		{"throttled_usec", &parsed.throttled_ns, NS_PER_US, false}, /* v2 */
		{"throttled_time", &parsed.throttled_ns, 1, false},	    /* v1 */
	};
	uint32_t has = 0;
	int r;

	r = parse_lines(text, wanted, sizeof(wanted) / sizeof(wanted[0]));
	if (r < 0)
		return r;

	if (wanted[0].is_found && wanted[1].is_found && wanted[2].is_found)
		has |= CGROUP_HAS_USAGE;
	if (wanted[3].is_found && wanted[4].is_found && (wanted[5].is_found != wanted[6].is_found))
		has |= CGROUP_HAS_BANDWIDTH;
	*counters = parsed;
	*ret_has = has;
	return 0;
}

int number_file_parse(const char *text, uint64_t *ret_number)
{
	const char *end;
	uint64_t number;
	int r;

	r = parse_u64(text, UINT64_MAX, &end, &number);
	if (r < 0)
		return r;
	if (end[0] != '\0' && (end[0] != '\n' || end[1] != '\0'))
		return -EINVAL;
	*ret_number = number;
	return 0;
}

int cpu_max_parse(const char *text, struct cpu_counters *counters)
{
	uint64_t quota_us = 0, period_us;
	int r;

	if (strncmp(text, "max ", 4) == 0) {
		text += 3;
	} else {
		r = parse_u64(text, UINT64_MAX, &text, &quota_us);
		if (r < 0)
			return r;
	}
	if (*text != ' ')
		return -EINVAL;
	r = number_file_parse(text + 1, &period_us);
	if (r < 0)
		return r;
	counters->quota_us = quota_us;
	counters->period_us = period_us;
	return 0;
}

int cfs_quota_parse(const char *text, uint64_t *ret_quota_us)
{
	if (strcmp(text, "-1\n") == 0 || strcmp(text, "-1") == 0) {
		*ret_quota_us = 0;
		return 0;
	}
	return number_file_parse(text, ret_quota_us);
}

int cpuacct_stat_parse(const char *text, uint64_t ticks_per_second, struct cpu_counters *counters)
{
	uint64_t user = 0, system = 0;
	const uint64_t tick_ns = NS_PER_SECOND / ticks_per_second;
	struct wanted wanted[] = {
		{"user", &user, tick_ns, false},
		{"system", &system, tick_ns, false},
	};
	int r;

	r = parse_lines(text, wanted, 2);
	if (r < 0)
		return r;
	if (!wanted[0].is_found || !wanted[1].is_found)
		return -EINVAL;
	counters->user_ns = user;
	counters->system_ns = system;
	return 0;
}
