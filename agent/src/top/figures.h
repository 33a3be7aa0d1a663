#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"

/* PURE: numbers as people read them. All texts fit FIGURE_BYTES. */
#define FIGURE_BYTES 32

/*
 * Upper bound of the bucket that holds the percentile, as the backend reports it: 0 where nothing
 * was counted, FIGURE_OPEN_NS where it is in the last bucket, which has no bound.
 */
#define FIGURE_OPEN_NS UINT64_MAX
uint64_t figure_percentile_ns(const uint32_t counts[RUNQ_BUCKETS], unsigned int percent);

/* "83 us", "1.9 ms", "131 ms", "4.2 s"; "-" for 0 (nothing waited), ">15.0 s" for open. */
void figure_latency(uint64_t ns, bool is_ascii, char ret_text[FIGURE_BYTES]);

/* CPU-s per s: two decimals while they fit seven columns. */
void figure_rate(double rate, char ret_text[FIGURE_BYTES]);

/* "131.0": a length in ms. */
void figure_ms(uint64_t ns, char ret_text[FIGURE_BYTES]);
