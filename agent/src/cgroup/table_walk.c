#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cgroup/table_private.h"

#define MAX_DEPTH 64 /* of the tree; each level holds one descriptor while it is walked */

/* A bundle may be written moments after its cgroup: ask again, but not for ever. */
#define MAX_RESOLVE_ATTEMPTS 12

/* Where births and deaths are told, a walk only checks that none was missed. */
#define REFRESHES_PER_CHECK 30

struct walk {
	struct cgroup_table *table;
	char path[PATH_MAX]; /* of the directory that is looked at, "" for the root */
	size_t length;
	unsigned int depth;
};

static int walk_directory(struct walk *walk, int fd, uint64_t parent_id);

/* A cgroup that goes away during the walk is simply not seen. */
static int walk_child(struct walk *walk, int parent_fd, const char *name, uint64_t parent_id)
{
	const size_t old_length = walk->length, name_length = strlen(name);
	int fd, r;

	if (old_length + 1 + name_length >= sizeof(walk->path) || walk->depth == MAX_DEPTH) {
		walk->table->dropped++;
		return 0;
	}
	fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;

	walk->path[old_length] = '/';
	memcpy(walk->path + old_length + 1, name, name_length + 1);
	walk->length = old_length + 1 + name_length;
	walk->depth++;
	r = walk_directory(walk, fd, parent_id);
	walk->depth--;
	walk->length = old_length;
	walk->path[old_length] = '\0';
	return r;
}

static int see(const struct walk *walk, uint64_t id, uint64_t parent_id)
{
	struct entry *entry;
	int r;

	r = table_see(walk->table, id, parent_id, walk->length ? walk->path : "/", &entry);
	if (r < 0 || !entry)
		return r;
	entry->is_seen = true;
	entry->cgroup.is_alive = true;
	entry->cgroup.dead_refreshes = 0;
	return 0;
}

/* Takes `fd` over. */
static int walk_directory(struct walk *walk, int fd, uint64_t parent_id)
{
	cleanup(close_fdp) int owned = fd;
	cleanup(closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct stat status;
	int r;

	if (fstat(fd, &status) < 0)
		return -errno;
	r = see(walk, status.st_ino, parent_id);
	if (r < 0)
		return r;

	dir = fdopendir(fd);
	if (!dir)
		return -errno;
	take_fd(&owned); /* the stream closes it now */
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		r = walk_child(walk, fd, entry->d_name, status.st_ino);
		if (r < 0)
			return r;
	}
	return 0;
}

static int walk_hierarchy(struct cgroup_table *self)
{
	struct walk walk = {.table = self};
	int fd, r;

	for (size_t i = 0; i < self->n_entries; i++)
		self->entries[i].is_seen = false;
	/* Before the walk: should something not fit, the next refresh walks again. */
	self->is_walk_due = false;
	fd = open(self->mode.cpu_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -errno : walk_directory(&walk, fd, 0);
	if (r < 0) {
		self->is_walk_due = true;
		return r; /* a walk cut short says nothing about who is gone */
	}
	for (size_t i = 0; i < self->n_entries; i++) {
		if (!self->entries[i].is_seen)
			self->entries[i].cgroup.is_alive = false;
	}
	self->refreshes_since_walk = 0;
	return 0;
}

/* The dead too: a container that lived shortly may be named by what its runtime leaves. */
static int retry_names(struct cgroup_table *self)
{
	for (size_t i = 0; i < self->n_entries; i++) {
		struct entry *entry = &self->entries[i];
		int r;

		if (entry->is_complete || entry->resolve_attempts >= MAX_RESOLVE_ATTEMPTS ||
		    entry->cgroup.dead_refreshes > 0)
			continue;
		r = table_resolve(self, entry);
		if (r < 0)
			return r;
	}
	return 0;
}

int cgroup_table_refresh(struct cgroup_table *self)
{
	int r;

	r = retry_names(self);
	if (r < 0)
		return r;
	if (!self->is_followed || self->is_walk_due ||
	    ++self->refreshes_since_walk >= REFRESHES_PER_CHECK) {
		r = walk_hierarchy(self);
		if (r < 0)
			return r;
	}
	table_age(self);
	return 0;
}
