#pragma once

#include <stdint.h>

/*
 * The one number parser: decimal digits only, no sign, no blanks, at most `max`.
 * With `ret_end` it stops at the first other character; without, that is an error.
 * -EINVAL: no number, or something after it. -ERANGE: larger than `max`.
 */
int parse_u64(const char *text, uint64_t max, const char **ret_end, uint64_t *ret_number);

/* "500ms", "10s", "2m", "1h". A unit is demanded: a bare number is an error. */
int parse_duration_ns(const char *text, uint64_t *ret_ns);

/* "65536", "64KiB", "64MiB", "2GiB". */
int parse_bytes(const char *text, uint64_t *ret_bytes);

/* "0.5%", "0.001%", "10%", at most 100%, to parts per million. The sign is demanded. */
int parse_percent_ppm(const char *text, uint64_t *ret_ppm);

/* The kernel's list format, "0-3,8,10-11\n": how many CPUs it names. Empty: 0. */
int parse_cpulist_count(const char *text, uint32_t *ret_count);

/* Hexadecimal digits to bytes: exactly `n_bytes`, hyphens skipped (UUIDs). */
int parse_hex(const char *text, uint8_t *ret_bytes, unsigned int n_bytes);
