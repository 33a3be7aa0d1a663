/*
 * Feeds every seed and every case that fuzzing once found to its target, with any
 * compiler. Run in agent/: the inputs are read from there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "targets.h"

#define INPUT_MAX_BYTES (1024 * 1024UL)

static int feed_directory(const struct fuzz_target *target, const char *kind, unsigned int *n_fed)
{
	cleanup(closedirp) DIR *directory = NULL;
	const struct dirent *entry;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "tests/fuzz/%s/%s", kind, target->name);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		cleanup(freep) char *bytes = NULL;
		size_t length;
		int r;

		if (entry->d_name[0] == '.')
			continue;
		/* Said before: the last line names the input that did not survive. */
		printf("[ RUN      ] %s/%s\n", path, entry->d_name);
		fflush(stdout);
		r = file_read(dirfd(directory), entry->d_name, INPUT_MAX_BYTES, &bytes, &length);
		if (r < 0)
			return r;
		target->feed((const uint8_t *)bytes, length);
		*n_fed += 1;
	}
	return 0;
}

int main(void)
{
	for (size_t i = 0; i < n_fuzz_targets; i++) {
		const struct fuzz_target *target = &fuzz_targets[i];
		unsigned int n_fed = 0;
		int r;

		target->feed((const uint8_t *)"", 0);
		r = feed_directory(target, "seeds", &n_fed);
		if (r < 0 || n_fed == 0) {
			fprintf(stderr, "%s: no seeds (%s)\n", target->name, strerror(-r));
			return 1;
		}
		/* Nothing found is no folder. */
		r = feed_directory(target, "found", &n_fed);
		if (r < 0 && r != -ENOENT) {
			fprintf(stderr, "%s: found/: %s\n", target->name, strerror(-r));
			return 1;
		}
	}
	return 0;
}
