#include "top/figures.h"

#include <stdio.h>

uint64_t figure_percentile_ns(const uint32_t counts[RUNQ_BUCKETS], unsigned int percent)
{
	uint64_t total = 0, reached = 0;

	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++)
		total += counts[i];
	if (total == 0)
		return 0;
	for (uint32_t i = 0; i < RUNQ_BUCKETS - 1; i++) {
		reached += counts[i];
		if (reached * 100 >= total * percent)
			return hist_upper_ns(i);
	}
	return FIGURE_OPEN_NS;
}

void figure_latency(uint64_t ns, bool is_ascii, char ret_text[FIGURE_BYTES])
{
	const double us = (double)ns / 1e3;

	if (ns == 0)
		snprintf(ret_text, FIGURE_BYTES, "%s", is_ascii ? "-" : "–");
	else if (ns == FIGURE_OPEN_NS)
		snprintf(ret_text, FIGURE_BYTES, ">15.0 s");
	else if (us < 999.5)
		snprintf(ret_text, FIGURE_BYTES, "%.*f %ss", us < 9.95 ? 1 : 0, us,
			 is_ascii ? "u" : "µ");
	else if (us < 999.5e3)
		snprintf(ret_text, FIGURE_BYTES, "%.*f ms", us < 99.95e3 ? 1 : 0, us / 1e3);
	else
		snprintf(ret_text, FIGURE_BYTES, "%.1f s", us / 1e6);
}

void figure_rate(double rate, char ret_text[FIGURE_BYTES])
{
	snprintf(ret_text, FIGURE_BYTES, "%.*f", rate < 999.995 ? 2 : rate < 9999.95 ? 1 : 0, rate);
}

void figure_ms(uint64_t ns, char ret_text[FIGURE_BYTES])
{
	snprintf(ret_text, FIGURE_BYTES, "%.1f", (double)ns / 1e6);
}
