#include "groups.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"

static int write_text(const char *directory, const char *file, const char *text)
{
	char path[512];
	const int length = snprintf(path, sizeof(path), "%s/%s", directory, file);
	ssize_t written;
	int fd;

	if (length >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	written = write(fd, text, strlen(text));
	if (written < 0) {
		const int r = -errno;

		close(fd);
		return r;
	}
	close(fd);
	return 0;
}

static int write_number(const char *directory, const char *file, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return write_text(directory, file, text);
}

static bool has_option(char *options, const char *wanted)
{
	char *rest;

	for (char *at = strtok_r(options, ",", &rest); at; at = strtok_r(NULL, ",", &rest))
		if (strcmp(at, wanted) == 0)
			return true;
	return false;
}

/* "36 35 98:0 / /point rw - cgroup cgroup rw,cpu" */
static int find_root(struct groups *self)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[2048], v2[256] = "";

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		char point[256], *tail = strstr(line, " - "), options[1024], type[32];

		if (!tail || sscanf(line, "%*s %*s %*s %*s %255s", point) != 1 ||
		    sscanf(tail, " - %31s %*s %1022s", type, options) != 2)
			continue;
		if (strcmp(type, "cgroup2") == 0 && v2[0] == '\0')
			memcpy(v2, point, sizeof(v2));
		if (strcmp(type, "cgroup") != 0)
			continue;
		if (has_option(options, "cpu") && self->root[0] == '\0')
			memcpy(self->root, point, sizeof(point));
	}
	fclose(file);
	if (self->root[0] != '\0')
		return 0;
	memcpy(self->root, v2, sizeof(v2));
	self->is_v2 = true;
	return v2[0] ? 0 : -ENODEV;
}

static int make_one(struct groups *self, const char *directory)
{
	if (mkdir(directory, 0755) < 0)
		return errno == EEXIST ? 0 : -errno;
	if (self->n_made == GROUPS_MAX_MADE)
		return -ENOSPC;
	self->made[self->n_made] = strdup(directory);
	return self->made[self->n_made++] ? 0 : -ENOMEM;
}

/* Every step of the path; on v2 each hands the controller down. */
static int make_path(struct groups *self, const char *path, char *ret, size_t size)
{
	size_t length = (size_t)snprintf(ret, size, "%s", self->root);
	const char *at = path;

	while (*at) {
		const size_t step = strcspn(at, "/");
		int r = self->is_v2 ? write_text(ret, "cgroup.subtree_control", "+cpu") : 0;

		if (r < 0)
			return r;
		if (length + step + 2 > size)
			return -ENAMETOOLONG;
		ret[length++] = '/';
		memcpy(ret + length, at, step);
		length += step;
		ret[length] = '\0';
		r = make_one(self, ret);
		if (r < 0)
			return r;
		at += step;
		at += *at == '/';
	}
	return 0;
}

static int set_limits(const struct groups *self, const struct plan_group *group, const char *at)
{
	char text[64];
	int r = 0;

	if (group->shares && self->is_v2)
		r = write_number(at, "cpu.weight", 1 + (group->shares - 2) * 9999 / 262142);
	else if (group->shares)
		r = write_number(at, "cpu.shares", group->shares);
	if (r < 0 || !group->quota_us)
		return r;
	if (self->is_v2) {
		(void)snprintf(text, sizeof(text), "%llu %llu", (unsigned long long)group->quota_us,
			       (unsigned long long)group->period_us);
		return write_text(at, "cpu.max", text);
	}
	r = write_number(at, "cpu.cfs_period_us", group->period_us);
	return r < 0 ? r : write_number(at, "cpu.cfs_quota_us", group->quota_us);
}

int groups_make(struct groups *self, const struct plan *plan)
{
	int r = find_root(self);

	for (size_t i = 0; r == 0 && i < plan->n_groups; i++) {
		char at[512];
		struct stat found;

		r = make_path(self, plan->groups[i].path, at, sizeof(at));
		if (r == 0)
			r = set_limits(self, &plan->groups[i], at);
		if (r < 0)
			fprintf(stderr, "nwtruth: cgroup %s: %s\n", at, strerror(-r));
		else if (stat(at, &found) < 0)
			r = -errno;
		else
			self->ids[i] = found.st_ino;
	}
	return r;
}

int groups_enter(const struct groups *self, const struct plan_group *group)
{
	char at[512];

	(void)snprintf(at, sizeof(at), "%s/%s", self->root, group->path);
	return write_text(at, "cgroup.procs", "0"); /* 0 = the writer */
}

static void kill_inside(const char *directory)
{
	char path[512];
	char line[32];
	uint64_t pid;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (numbers_parse(line, &pid, 1) == 0 && pid > 1)
			kill((pid_t)pid, SIGKILL);
	fclose(file);
}

int groups_remove(struct groups *self)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	int r = 0;

	while (self->n_made > 0) {
		char *directory = self->made[--self->n_made];
		int tries = 0;

		while (rmdir(directory) < 0 && errno == EBUSY && tries++ < 2000) {
			kill_inside(directory);
			clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		}
		/* A shared parent stays for whoever else uses it. */
		if (access(directory, F_OK) == 0) {
			fprintf(stderr, "nwtruth: %s is left behind\n", directory);
			r = -EBUSY;
		}
		free(directory);
	}
	return r;
}

int groups_write_ids(const struct groups *self, const struct plan *plan, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	for (size_t i = 0; i < plan->n_groups; i++)
		fprintf(file, "%s %llu /%s\n", plan->groups[i].name,
			(unsigned long long)self->ids[i], plan->groups[i].path);
	return fclose(file) == 0 ? 0 : -EIO;
}

int groups_write_cpu_stat(const struct groups *self, const struct plan *plan, const char *path)
{
	FILE *to = fopen(path, "we");

	if (!to)
		return -errno;
	for (size_t i = 0; i < plan->n_groups; i++) {
		char at[512], line[128];
		FILE *from;

		(void)snprintf(at, sizeof(at), "%s/%s/cpu.stat", self->root, plan->groups[i].path);
		from = fopen(at, "re");
		while (from && fgets(line, sizeof(line), from))
			fprintf(to, "%s %s", plan->groups[i].name, line);
		if (from)
			fclose(from);
	}
	return fclose(to) == 0 ? 0 : -EIO;
}
