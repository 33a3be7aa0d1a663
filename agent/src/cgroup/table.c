#include "cgroup/table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cgroup/identity.h"

#define MAX_DEPTH 64 /* of the tree; each level holds one descriptor while it is walked */

/* A bundle may be written moments after its cgroup: ask again, but not for ever. */
#define MAX_RESOLVE_ATTEMPTS 12

/* Seen missing in one refresh, it stays through that window, and goes in the next. */
#define DEAD_REFRESHES_KEPT 1

struct entry {
	struct cgroup cgroup;
	bool is_seen; /* in the refresh that runs */
	bool is_complete;
	unsigned int resolve_attempts;
};

struct cgroup_table {
	struct cgroup_mode mode;
	const struct identity_sources *sources;
	struct entry *entries; /* the first n_entries are used, no holes */
	size_t n_entries, capacity;
	uint32_t *slots; /* id -> index + 1, open addressing; 0 = free */
	size_t slot_mask;
	uint64_t dropped;
};

static const struct identity_sources no_sources;

static size_t slot_of(const struct cgroup_table *self, uint64_t id)
{
	return (size_t)(id * 0x9e3779b97f4a7c15ULL >> 32) & self->slot_mask;
}

static void index_entry(struct cgroup_table *self, size_t at)
{
	size_t slot = slot_of(self, self->entries[at].cgroup.id);

	while (self->slots[slot])
		slot = (slot + 1) & self->slot_mask;
	self->slots[slot] = (uint32_t)at + 1;
}

static struct entry *find(const struct cgroup_table *self, uint64_t id)
{
	size_t slot = slot_of(self, id);

	for (; self->slots[slot]; slot = (slot + 1) & self->slot_mask) {
		struct entry *entry = &self->entries[self->slots[slot] - 1];

		if (entry->cgroup.id == id)
			return entry;
	}
	return NULL;
}

int cgroup_table_new(const struct cgroup_mode *mode, size_t capacity, struct cgroup_table **ret)
{
	struct cgroup_table *self = calloc(1, sizeof(*self));
	size_t n_slots = 16;

	if (!self)
		return -ENOMEM;
	while (n_slots < 2 * capacity)
		n_slots *= 2;
	*self = (struct cgroup_table){
		.mode = *mode,
		.sources = &no_sources,
		.capacity = capacity,
		.slot_mask = n_slots - 1,
		.entries = calloc(capacity, sizeof(struct entry)),
		.slots = calloc(n_slots, sizeof(uint32_t)),
	};
	if (!self->entries || !self->slots) {
		cgroup_table_free(self);
		return -ENOMEM;
	}
	*ret = self;
	return 0;
}

static void entry_clear(struct entry *entry)
{
	free(entry->cgroup.path);
	identity_free(&entry->cgroup.identity);
	*entry = (struct entry){0};
}

void cgroup_table_free(struct cgroup_table *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->n_entries; i++)
		entry_clear(&self->entries[i]);
	free(self->entries);
	free(self->slots);
	free(self);
}

void cgroup_table_set_sources(struct cgroup_table *self, const struct identity_sources *sources)
{
	self->sources = sources;
}

static int resolve(struct cgroup_table *self, struct entry *entry)
{
	struct cgroup *cgroup = &entry->cgroup;
	struct cgroup_identity identity;
	int r;

	r = identity_resolve(self->sources, cgroup->path, &identity, &entry->is_complete);
	if (r < 0)
		return r;
	entry->resolve_attempts++;
	if (!identity_equal(&identity, &cgroup->identity))
		cgroup->identity_changed = true;
	identity_free(&cgroup->identity);
	cgroup->identity = identity;
	return 0;
}

static int add(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path)
{
	struct entry *entry;
	int r;

	if (self->n_entries == self->capacity) {
		self->dropped++;
		return 0;
	}
	entry = &self->entries[self->n_entries];
	entry->cgroup.id = id;
	entry->cgroup.parent_id = parent_id;
	entry->cgroup.path = strdup(path);
	r = entry->cgroup.path ? resolve(self, entry) : -ENOMEM;
	if (r < 0) {
		entry_clear(entry);
		return r;
	}
	entry->cgroup.is_alive = true;
	entry->cgroup.identity_changed = true;
	entry->is_seen = true;
	index_entry(self, self->n_entries++);
	return 0;
}

/* v1 lets a cgroup be renamed: the same inode under another path is somebody else. */
static int rename_entry(struct cgroup_table *self, struct entry *entry, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	free(entry->cgroup.path);
	entry->cgroup.path = copy;
	entry->resolve_attempts = 0;
	return resolve(self, entry);
}

static int see(struct cgroup_table *self, uint64_t id, uint64_t parent_id, const char *path)
{
	struct entry *entry = find(self, id);

	if (!entry)
		return add(self, id, parent_id, path);
	entry->is_seen = true;
	entry->cgroup.is_alive = true;
	entry->cgroup.dead_refreshes = 0;
	entry->cgroup.parent_id = parent_id;
	if (strcmp(entry->cgroup.path, path) != 0)
		return rename_entry(self, entry, path);
	if (!entry->is_complete && entry->resolve_attempts < MAX_RESOLVE_ATTEMPTS)
		return resolve(self, entry);
	return 0;
}

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
	r = see(walk->table, status.st_ino, parent_id, walk->length ? walk->path : "/");
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

/* Forgets those that were gone long enough, closes the holes, and makes the index anew. */
static void bury(struct cgroup_table *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->n_entries; i++) {
		struct entry *entry = &self->entries[i];

		if (!entry->is_seen) {
			entry->cgroup.is_alive = false;
			entry->cgroup.dead_refreshes++;
		}
		if (entry->cgroup.dead_refreshes > DEAD_REFRESHES_KEPT) {
			entry_clear(entry);
			continue;
		}
		if (kept != i) {
			self->entries[kept] = *entry;
			*entry = (struct entry){0};
		}
		kept++;
	}
	self->n_entries = kept;

	memset(self->slots, 0, (self->slot_mask + 1) * sizeof(self->slots[0]));
	for (size_t i = 0; i < self->n_entries; i++)
		index_entry(self, i);
}

int cgroup_table_refresh(struct cgroup_table *self)
{
	struct walk walk = {.table = self};
	int fd, r;

	for (size_t i = 0; i < self->n_entries; i++)
		self->entries[i].is_seen = false;
	self->dropped = 0;

	fd = open(self->mode.cpu_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = walk_directory(&walk, fd, 0);
	if (r < 0)
		return r; /* a walk cut short says nothing about who is gone */
	bury(self);
	return 0;
}

const struct cgroup *cgroup_table_find(const struct cgroup_table *self, uint64_t id)
{
	const struct entry *entry = find(self, id);

	return entry ? &entry->cgroup : NULL;
}

const struct cgroup *cgroup_table_next(const struct cgroup_table *self, size_t *cursor)
{
	if (*cursor >= self->n_entries)
		return NULL;
	return &self->entries[(*cursor)++].cgroup;
}

size_t cgroup_table_size(const struct cgroup_table *self)
{
	return self->n_entries;
}

uint64_t cgroup_table_dropped(const struct cgroup_table *self)
{
	return self->dropped;
}

const struct cgroup_mode *cgroup_table_mode(const struct cgroup_table *self)
{
	return &self->mode;
}

void cgroup_table_identity_sent(struct cgroup_table *self, uint64_t id)
{
	struct entry *entry = find(self, id);

	if (entry)
		entry->cgroup.identity_changed = false;
}

void cgroup_table_resend_identities(struct cgroup_table *self)
{
	for (size_t i = 0; i < self->n_entries; i++)
		self->entries[i].cgroup.identity_changed = true;
}
