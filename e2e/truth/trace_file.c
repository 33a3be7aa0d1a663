#include "trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grow.h"
#include "numbers.h"
#include "trace.h"

static int map_file(const char *path, struct trace_file *ret)
{
	struct stat found;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *mapped;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &found) < 0 || found.st_size < (off_t)sizeof(struct truth_header)) {
		close(fd);
		return -EINVAL;
	}
	mapped = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED)
		return -errno;
	ret->mapped = mapped;
	ret->length = (size_t)found.st_size;
	ret->header = mapped;
	return 0;
}

int trace_file_open(const char *path, struct trace_file *ret)
{
	int r = map_file(path, ret);

	if (r == 0 && (ret->header->magic != TRUTH_MAGIC || ret->header->version != TRUTH_VERSION ||
		       ret->header->events_bytes != ret->length - sizeof(*ret->header))) {
		trace_file_close(ret);
		r = -EINVAL;
	}
	if (r < 0)
		fprintf(stderr, "replay: %s: %s\n", path, strerror(-r));
	return r;
}

int trace_file_replay(const struct trace_file *self, struct replay *replay)
{
	size_t at = sizeof(*self->header);

	replay->agent_pid = self->header->agent_pid;
	while (at + TRUTH_SHORT_EVENT_BYTES <= self->length) {
		struct truth_event event = {0};
		size_t bytes = TRUTH_SHORT_EVENT_BYTES;
		int r;

		memcpy(&event, self->mapped + at, bytes);
		if (event.kind == TRUTH_SWITCH) {
			bytes = sizeof(event);
			if (at + bytes > self->length)
				break;
			memcpy(&event, self->mapped + at, bytes);
		}
		r = replay_event(replay, &event);
		if (r < 0) {
			fprintf(stderr, "replay: no event at byte %zu\n", at);
			return r;
		}
		at += bytes;
	}
	return at == self->length ? 0 : -EINVAL;
}

void trace_file_close(struct trace_file *self)
{
	munmap((void *)(uintptr_t)self->mapped, self->length);
	self->mapped = NULL;
}

int parties_read(const char *path, struct parties *ret)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	(void)snprintf(ret->names[PARTY_IDLE], sizeof(ret->names[0]), "(idle)");
	(void)snprintf(ret->names[PARTY_SYSTEM], sizeof(ret->names[0]), "(system)");
	(void)snprintf(ret->names[PARTY_UNKNOWN], sizeof(ret->names[0]), "(unknown)");
	ret->n = PARTY_FIRST;
	while (ret->n < MAX_PARTIES && fgets(line, sizeof(line), file)) {
		char *blank = strchr(line, ' ');

		if (!blank || numbers_parse(blank, &ret->ids[ret->n], 1) < 0)
			break;
		*blank = '\0';
		(void)snprintf(ret->names[ret->n++], sizeof(ret->names[0]), "%.63s", line);
	}
	fclose(file);
	return 0;
}

int checks_read(const char *path, struct check **ret, size_t *ret_n)
{
	FILE *file = fopen(path, "re");
	struct check *checks = NULL;
	size_t n = 0, capacity = 0;
	char line[256];

	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return -errno;
	}
	while (fgets(line, sizeof(line), file)) {
		uint64_t of[6];

		if (numbers_parse(line, of, 6) < 0 || of[1] >= MAX_PARTIES - PARTY_FIRST)
			break;
		checks = grow(checks, n, &capacity, sizeof(*checks));
		checks[n++] = (struct check){(uint32_t)of[0], PARTY_FIRST + (unsigned int)of[1],
					     of[2],	      of[3],
					     of[4],	      of[5]};
	}
	fclose(file);
	*ret = checks;
	*ret_n = n;
	return 0;
}
