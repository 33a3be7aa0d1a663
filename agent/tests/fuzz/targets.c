#include "targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct fuzz_target fuzz_targets[] = {
	{"path", fuzz_path},	       {"oci", fuzz_oci},	    {"docker", fuzz_docker},
	{"mountinfo", fuzz_mountinfo}, {"cpu_stat", fuzz_cpu_stat}, {"cpulist", fuzz_cpulist},
	{"config", fuzz_config},       {"answers", fuzz_answers},   {"host_files", fuzz_host_files},
};

const size_t n_fuzz_targets = sizeof(fuzz_targets) / sizeof(fuzz_targets[0]);

const struct fuzz_target *fuzz_target_find(const char *name)
{
	for (size_t i = 0; i < n_fuzz_targets; i++) {
		if (strcmp(fuzz_targets[i].name, name) == 0)
			return &fuzz_targets[i];
	}
	return NULL;
}

void fuzz_expect(bool holds, const char *promise)
{
	if (holds)
		return;
	fprintf(stderr, "broken promise: %s\n", promise);
	abort();
}

char *fuzz_text(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length + 1);

	fuzz_expect(text != NULL, "memory for the input");
	if (length)
		memcpy(text, bytes, length);
	text[length] = '\0';
	return text;
}

char *fuzz_bytes(const uint8_t *bytes, size_t length)
{
	char *copy = malloc(length ? length : 1);

	fuzz_expect(copy != NULL, "memory for the input");
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

int fuzz_file(const uint8_t *bytes, size_t length, char ret_path[32])
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_expect(fd >= 0, "a file in memory");
	fuzz_expect(length == 0 || write(fd, bytes, length) == (ssize_t)length, "the input in it");
	snprintf(ret_path, 32, "/proc/self/fd/%d", fd);
	return fd;
}
