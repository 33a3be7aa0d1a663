#include "tracer.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"
#include "tracer.skel.h"

#define NS_PER_SECOND 1000000000ULL

struct tracer {
	struct tracer_bpf *skel;
	struct ring_buffer *ring;
	char *events; /* mapped: pages are only taken as they are filled */
	size_t used, capacity;
	uint64_t dropped; /* by us */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static int keep(void *context, void *data, size_t size)
{
	struct tracer *self = context;
	const struct truth_event *event = data;
	/* The ring rounds sizes up; the kind says which one it is. */
	const size_t bytes = event->kind == TRUTH_SWITCH ? sizeof(*event) : TRUTH_SHORT_EVENT_BYTES;

	if (size < bytes || self->used + bytes > self->capacity) {
		self->dropped++;
		return 0;
	}
	memcpy(self->events + self->used, data, bytes);
	self->used += bytes;
	return 0;
}

static int start(struct tracer *self, uint32_t ring_bytes)
{
	int r;

	self->skel = tracer_bpf__open();
	if (!self->skel)
		return -errno;
	r = bpf_map__set_max_entries(self->skel->maps.ring, ring_bytes);
	if (r == 0)
		r = tracer_bpf__load(self->skel);
	if (r < 0)
		return r;
	self->ring = ring_buffer__new(bpf_map__fd(self->skel->maps.ring), keep, self, NULL);
	if (!self->ring)
		return -errno;
	return tracer_bpf__attach(self->skel);
}

int tracer_open(uint32_t ring_bytes, size_t bytes, struct tracer **ret)
{
	struct tracer *self = calloc(1, sizeof(*self));
	int r;

	if (!self)
		return -ENOMEM;
	self->capacity = bytes;
	self->events = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (self->events == MAP_FAILED) {
		self->events = NULL;
		tracer_close(self);
		return -ENOMEM;
	}
	r = start(self, ring_bytes);
	if (r < 0) {
		tracer_close(self);
		return r;
	}
	*ret = self;
	return 0;
}

int tracer_drain(struct tracer *self)
{
	const int r = ring_buffer__consume(self->ring);

	return r < 0 ? r : 0;
}

int tracer_write(struct tracer *self, const char *path, uint64_t agent_pid)
{
	struct truth_header header = {
		.magic = TRUTH_MAGIC,
		.version = TRUTH_VERSION,
		.cpus = (uint32_t)libbpf_num_possible_cpus(),
		.realtime_minus_monotonic_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC),
		.agent_pid = agent_pid,
	};
	FILE *file;
	int r;

	tracer_bpf__detach(self->skel);
	r = tracer_drain(self);
	if (r < 0)
		return r;
	header.events_bytes = self->used;
	header.dropped = self->dropped + self->skel->bss->dropped;
	file = fopen(path, "we");
	if (!file)
		return -errno;
	if (fwrite(&header, sizeof(header), 1, file) != 1 ||
	    (self->used > 0 && fwrite(self->events, self->used, 1, file) != 1))
		r = -EIO;
	return fclose(file) == 0 ? r : -EIO;
}

void tracer_close(struct tracer *self)
{
	if (!self)
		return;
	ring_buffer__free(self->ring);
	tracer_bpf__destroy(self->skel);
	if (self->events)
		munmap(self->events, self->capacity);
	free(self);
}
