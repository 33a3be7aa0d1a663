#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One parser of outside text: takes any bytes, aborts when a promise of its header is broken. */
struct fuzz_target {
	const char *name; /* of its folders in seeds/ and found/, and of its dictionary */
	void (*feed)(const uint8_t *bytes, size_t length);
};

extern const struct fuzz_target fuzz_targets[];
extern const size_t n_fuzz_targets;

const struct fuzz_target *fuzz_target_find(const char *name); /* NULL: no such target */

/* A NUL-terminated copy of its own size: the address sanitizer sees one byte too far. */
char *fuzz_text(const uint8_t *bytes, size_t length);
char *fuzz_bytes(const uint8_t *bytes, size_t length); /* the same without a NUL */

/* A file in memory that holds the bytes; `ret_path` leads to it while the descriptor is open. */
int fuzz_file(const uint8_t *bytes, size_t length, char ret_path[32]);

/* assert() that no build flag takes away. */
void fuzz_expect(bool holds, const char *promise);

void fuzz_path(const uint8_t *bytes, size_t length);
void fuzz_oci(const uint8_t *bytes, size_t length);
void fuzz_docker(const uint8_t *bytes, size_t length);
void fuzz_mountinfo(const uint8_t *bytes, size_t length);
void fuzz_cpu_stat(const uint8_t *bytes, size_t length);
void fuzz_cpulist(const uint8_t *bytes, size_t length);
void fuzz_config(const uint8_t *bytes, size_t length);
void fuzz_answers(const uint8_t *bytes, size_t length);
void fuzz_host_files(const uint8_t *bytes, size_t length);
