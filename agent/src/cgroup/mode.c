#include "cgroup/mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"

#define MOUNTINFO_MAX_BYTES (4UL << 20) /* hosts with many containers have many mounts */
#define SELF_MAX_BYTES	    (64UL << 10)

const char *cgroup_version_name(enum cgroup_version version)
{
	switch (version) {
	case CGROUP_V1:
		return "v1";
	case CGROUP_V2:
		return "v2";
	case CGROUP_HYBRID:
		return "hybrid";
	}
	return "unknown";
}

/* mountinfo writes blank, tab, newline and backslash as three octal digits. */
static int copy_unescaped(const char *escaped, char *ret, size_t capacity)
{
	size_t n = 0;

	while (*escaped) {
		char c = *escaped++;

		if (c == '\\' && escaped[0] >= '0' && escaped[0] <= '3' && escaped[1] >= '0' &&
		    escaped[1] <= '7' && escaped[2] >= '0' && escaped[2] <= '7') {
			c = (char)((escaped[0] - '0') << 6 | (escaped[1] - '0') << 3 |
				   (escaped[2] - '0'));
			escaped += 3;
		}
		if (n + 1 >= capacity)
			return -ENAMETOOLONG;
		ret[n++] = c;
	}
	ret[n] = '\0';
	return 0;
}

static bool has_option(const char *options, const char *name)
{
	const size_t length = strlen(name);

	for (;;) {
		size_t n = strcspn(options, ",");

		if (n == length && strncmp(options, name, n) == 0)
			return true;
		if (options[n] == '\0')
			return false;
		options += n + 1;
	}
}

struct mount {
	const char *point;
	const char *type;
	const char *super_options;
};

/* "31 23 0:28 / /sys/fs/cgroup rw,relatime [tags...] - tmpfs source options", cut in place. */
static bool parse_mount(char *line, struct mount *ret)
{
	char *fields = line, *word, *separator;
	struct mount mount = {0};

	separator = strstr(line, " - ");
	if (!separator)
		return false;
	*separator = '\0';
	for (int i = 0; (word = strsep(&fields, " ")); i++) {
		if (i == 4)
			mount.point = word;
	}

	fields = separator + 3;
	mount.type = strsep(&fields, " ");
	strsep(&fields, " "); /* source */
	mount.super_options = fields ? fields : "";
	if (!mount.point || !mount.type)
		return false;
	*ret = mount;
	return true;
}

/* The first mount of a hierarchy counts: later ones are bind mounts of its parts. */
static int take_first(const struct mount *mount, char *root, size_t capacity)
{
	return root[0] ? 0 : copy_unescaped(mount->point, root, capacity);
}

static int take_mount(const struct mount *mount, struct cgroup_mode *mode, char *v2_root)
{
	int r = 0;

	if (strcmp(mount->type, "cgroup2") == 0)
		return take_first(mount, v2_root, sizeof(mode->cpu_root));
	if (strcmp(mount->type, "cgroup") != 0)
		return 0;
	if (has_option(mount->super_options, "cpu"))
		r = take_first(mount, mode->cpu_root, sizeof(mode->cpu_root));
	if (r == 0 && has_option(mount->super_options, "cpuacct"))
		r = take_first(mount, mode->cpuacct_root, sizeof(mode->cpuacct_root));
	if (r == 0 && has_option(mount->super_options, "cpuset"))
		r = take_first(mount, mode->cpuset_root, sizeof(mode->cpuset_root));
	return r;
}

int cgroup_mode_detect(const char *mountinfo_path, struct cgroup_mode *ret_mode)
{
	cleanup(freep) char *text = NULL;
	struct cgroup_mode mode = {0};
	char v2_root[sizeof(mode.cpu_root)] = "";
	char *rest, *line;
	int r;

	r = file_read(AT_FDCWD, mountinfo_path, MOUNTINFO_MAX_BYTES, &text, NULL);
	if (r < 0)
		return r;

	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		struct mount mount;

		if (!parse_mount(line, &mount))
			continue;
		r = take_mount(&mount, &mode, v2_root);
		if (r < 0)
			return r;
	}

	if (mode.cpu_root[0]) {
		mode.version = v2_root[0] ? CGROUP_HYBRID : CGROUP_V1;
	} else if (v2_root[0]) {
		mode = (struct cgroup_mode){.version = CGROUP_V2};
		memcpy(mode.cpu_root, v2_root, sizeof(v2_root));
		memcpy(mode.cpuacct_root, v2_root, sizeof(v2_root));
		memcpy(mode.cpuset_root, v2_root, sizeof(v2_root));
	} else {
		return -ENOENT;
	}
	*ret_mode = mode;
	return 0;
}

int cgroup_hierarchy_id(const char *self_cgroup_path, uint32_t *ret_id)
{
	cleanup(freep) char *text = NULL;
	char *rest, *line;
	int r;

	r = file_read(AT_FDCWD, self_cgroup_path, SELF_MAX_BYTES, &text, NULL);
	if (r < 0)
		return r;

	/* "4:cpu,cpuacct:/path" of v1, "0::/path" of v2 */
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		const char *number = strsep(&line, ":"), *controllers = strsep(&line, ":");
		uint64_t id;

		if (!controllers || !has_option(controllers, "cpu"))
			continue;
		r = parse_u64(number, UINT32_MAX, NULL, &id);
		if (r == 0)
			*ret_id = (uint32_t)id;
		return r;
	}
	*ret_id = 0;
	return 0;
}
