#include "checks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "numbers.h"

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int read_schedstat(struct check_thread *thread, int at)
{
	uint64_t ran_wait_slices[3];
	char path[64], line[128];
	FILE *file;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%u/schedstat", thread->pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	r = fgets(line, sizeof(line), file) ? numbers_parse(line, ran_wait_slices, 3) : -EIO;
	thread->read_at_ns[at] = now_ns();
	fclose(file);
	if (r < 0)
		return r;
	thread->run_delay_ns[at] = ran_wait_slices[1];
	thread->pcount[at] = ran_wait_slices[2];
	return 0;
}

int checks_begin(struct checks *self, pid_t process, size_t group)
{
	const struct dirent *entry;
	char path[64];
	DIR *tasks;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", process);
	tasks = opendir(path);
	if (!tasks)
		return -errno;
	while ((entry = readdir(tasks))) {
		struct check_thread *thread = &self->threads[self->n];

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if (self->n == CHECKS_MAX_THREADS) {
			closedir(tasks);
			return -ENOSPC;
		}
		thread->pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		thread->group = group;
		if (read_schedstat(thread, 0) == 0)
			self->n++;
	}
	closedir(tasks);
	return 0;
}

int checks_end(struct checks *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->n; i++) {
		self->threads[kept] = self->threads[i];
		if (read_schedstat(&self->threads[kept], 1) == 0)
			kept++;
	}
	if (kept != self->n)
		fprintf(stderr, "nwtruth: %zu threads ended too early\n", self->n - kept);
	self->n = kept;
	return 0;
}

int checks_write(const struct checks *self, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	for (size_t i = 0; i < self->n; i++) {
		const struct check_thread *thread = &self->threads[i];

		fprintf(file, "%u %zu %llu %llu %llu %llu\n", thread->pid, thread->group,
			(unsigned long long)thread->read_at_ns[0],
			(unsigned long long)thread->read_at_ns[1],
			(unsigned long long)(thread->run_delay_ns[1] - thread->run_delay_ns[0]),
			(unsigned long long)(thread->pcount[1] - thread->pcount[0]));
	}
	return fclose(file) == 0 ? 0 : -EIO;
}
