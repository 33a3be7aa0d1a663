#include "cgroup/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "cgroup/bundle_json.h"
#include "cgroup/path_identity.h"

#define BUNDLE_MAX_BYTES (1024 * 1024UL)
#define MAX_NAMESPACES	 32 /* of one containerd: k8s.io, moby, default, ... */
#define SHORT_ID_LENGTH	 12 /* as docker ps shows */

void labels_free(char **labels)
{
	if (!labels)
		return;
	for (char **label = labels; *label; label++)
		free(*label);
	free(labels);
}

void identity_free(struct cgroup_identity *identity)
{
	free(identity->name);
	free(identity->runtime);
	free(identity->runtime_id);
	free(identity->image);
	free(identity->pod);
	free(identity->namespace);
	free(identity->pod_uid);
	labels_free(identity->labels);
	*identity = (struct cgroup_identity){0};
}

static size_t cut_length(const char *text)
{
	size_t length = 0;

	while (length < IDENTITY_MAX_TEXT && text[length])
		length++;
	/* 10xxxxxx continues a character: do not cut it in two. */
	while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

int identity_set_text(char **field, const char *text)
{
	char *copy = strndup(text, cut_length(text));
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

static bool text_equal(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool labels_equal(char *const *a, char *const *b)
{
	static char *const none[] = {NULL};

	a = a ? a : none;
	b = b ? b : none;
	for (; *a && *b; a++, b++) {
		if (strcmp(*a, *b) != 0)
			return false;
	}
	return !*a && !*b;
}

bool identity_equal(const struct cgroup_identity *a, const struct cgroup_identity *b)
{
	return a->container_id == b->container_id && a->is_container == b->is_container &&
	       text_equal(a->name, b->name) && text_equal(a->runtime, b->runtime) &&
	       text_equal(a->image, b->image) && text_equal(a->pod, b->pod) &&
	       text_equal(a->namespace, b->namespace) && text_equal(a->pod_uid, b->pod_uid) &&
	       labels_equal(a->labels, b->labels);
}

typedef int bundle_parser(const char *text, size_t length, struct cgroup_identity *identity);

/* 1: taken. 0: not there, or not to be understood: names stay what the path said. */
static int take_file(const char *path, bundle_parser *parse, struct cgroup_identity *identity)
{
	cleanup(freep) char *text = NULL;
	size_t length;
	int r;

	r = file_read(AT_FDCWD, path, BUNDLE_MAX_BYTES, &text, &length);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 0;
	r = parse(text, length, identity);
	return r == -ENOMEM ? r : r == 0;
}

static int take_bundle(const char *dir, const char *id, const char *rest,
		       struct cgroup_identity *identity)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s%s", dir, id, rest) >= sizeof(path))
		return 0;
	return take_file(path, oci_config_parse, identity);
}

/* containerd: <state>/io.containerd.runtime.v2.task/<namespace>/<id>/config.json */
static int take_containerd_bundle(const char *state_dir, const char *id,
				  struct cgroup_identity *identity)
{
	cleanup(closedirp) DIR *namespaces = NULL;
	char path[PATH_MAX];
	const struct dirent *entry;

	if ((size_t)snprintf(path, sizeof(path), "%s/io.containerd.runtime.v2.task", state_dir) >=
	    sizeof(path))
		return 0;
	namespaces = opendir(path);
	if (!namespaces)
		return 0;
	for (int n = 0; n < MAX_NAMESPACES && (entry = readdir(namespaces)); n++) {
		char dir[PATH_MAX];
		int r;

		if (entry->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(dir, sizeof(dir), "%s/%s", path, entry->d_name) >= sizeof(dir))
			continue;
		r = take_bundle(dir, id, "/config.json", identity);
		if (r != 0)
			return r;
	}
	return 0;
}

static int take_oci(const struct identity_sources *sources, const char *id,
		    struct cgroup_identity *identity)
{
	for (size_t i = 0; i < sources->n_oci_state_dirs; i++) {
		const char *dir = sources->oci_state_dirs[i];
		int r;

		r = take_bundle(dir, id, "/config.json", identity); /* runc, crun by hand */
		if (r == 0)
			r = take_bundle(dir, id, "/userdata/config.json", identity); /* CRI-O */
		if (r == 0)
			r = take_containerd_bundle(dir, id, identity);
		if (r != 0)
			return r;
	}
	return 0;
}

static int take_docker(const struct identity_sources *sources, const char *id,
		       struct cgroup_identity *identity)
{
	for (size_t i = 0; i < sources->n_docker_data_roots; i++) {
		char path[PATH_MAX];
		int r;

		if ((size_t)snprintf(path, sizeof(path), "%s/containers/%s/config.v2.json",
				     sources->docker_data_roots[i], id) >= sizeof(path))
			continue;
		r = take_file(path, docker_config_parse, identity);
		if (r != 0)
			return r;
	}
	return 0;
}

static int resolve_container(const struct identity_sources *sources,
			     const struct path_identity *path, struct cgroup_identity *identity,
			     bool *is_complete)
{
	char short_id[SHORT_ID_LENGTH + 1];
	int r;

	snprintf(short_id, sizeof(short_id), "%.*s", SHORT_ID_LENGTH, path->runtime_id);
	identity->container_id = container_id_of(true, path->runtime_id);
	r = identity_set_text(&identity->name, short_id);
	if (r == 0)
		r = identity_set_text(&identity->runtime_id, path->runtime_id);
	if (r == 0)
		r = identity_set_text(&identity->runtime, path->runtime);
	if (r == 0)
		r = identity_set_text(&identity->pod_uid, path->pod_uid);
	if (r < 0)
		return r;

	/* Docker's bundle is found by containerd's rule, too, but holds no names: Docker first. */
	r = take_docker(sources, path->runtime_id, identity);
	if (r == 0)
		r = take_oci(sources, path->runtime_id, identity);
	if (r < 0)
		return r;
	*is_complete = strcmp(identity->name, short_id) != 0;
	return 0;
}

int identity_resolve(const struct identity_sources *sources, const char *cgroup_path,
		     struct cgroup_identity *ret_identity, bool *ret_is_complete)
{
	struct cgroup_identity identity = {0};
	struct path_identity path;
	bool is_complete = true;
	char name[IDENTITY_MAX_TEXT + 1];
	int r;

	path_identity_parse(cgroup_path, &path);
	identity.is_container = path.is_container;
	if (path.is_container) {
		r = resolve_container(sources, &path, &identity, &is_complete);
	} else {
		identity.container_id = container_id_of(false, cgroup_path);
		path_system_name(cgroup_path, name, sizeof(name));
		r = identity_set_text(&identity.name, name);
		if (r == 0)
			r = identity_set_text(&identity.pod_uid, path.pod_uid);
	}
	if (r < 0) {
		identity_free(&identity);
		return r;
	}
	*ret_identity = identity;
	*ret_is_complete = is_complete;
	return 0;
}
