#include "cgroup/path_identity.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

uint64_t container_id_of(bool is_container, const char *runtime_id_or_path)
{
	const char *prefix = is_container ? "container:" : "system:";
	uint64_t hash = fnv1a_64(FNV1A_64_START, prefix, strlen(prefix));

	/* Without the top bit, so that it fits a signed 64-bit column. */
	return fnv1a_64(hash, runtime_id_or_path, strlen(runtime_id_or_path)) & ~(1ULL << 63);
}

/* A view of one path component, no copy. */
struct span {
	const char *start;
	size_t length;
};

static bool is_hex(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return true;
}

static bool starts_with(struct span span, const char *prefix)
{
	const size_t length = strlen(prefix);

	return span.length >= length && strncmp(span.start, prefix, length) == 0;
}

static bool ends_with(struct span span, const char *suffix)
{
	const size_t length = strlen(suffix);

	return span.length >= length &&
	       strncmp(span.start + span.length - length, suffix, length) == 0;
}

/*
 * What stands before the 64 digits. systemd driver: "<prefix>-<id>.scope"; cgroupfs:
 * "<id>", "crio-<id>", "libpod-<id>"; and "<slice>:cri-containerd:<id>", which runc makes
 * when kubelet means systemd and containerd means cgroupfs.
 */
static const struct {
	const char *prefix;
	const char *runtime; /* NULL: a runtime's own helper beside the container */
} prefixes[] = {
	{"docker-", "docker"},
	{"cri-containerd-", "containerd"},
	{"nerdctl-", "containerd"},
	{"crio-conmon-", NULL},
	{"crio-", "cri-o"},
	{"libpod-conmon-", NULL},
	{"libpod-payload-", "podman"},
	{"libpod-", "podman"},
	{"conmon-", NULL},
};

static bool runtime_of_prefix(struct span prefix, const char **ret_runtime)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strlen(prefixes[i].prefix) == prefix.length &&
		    strncmp(prefixes[i].prefix, prefix.start, prefix.length) == 0) {
			*ret_runtime = prefixes[i].runtime;
			return prefixes[i].runtime != NULL;
		}
	}
	/* "...slice:cri-containerd:" or a runtime that we do not know: still a container. */
	*ret_runtime = ends_with(prefix, ":cri-containerd:") ? "containerd"
		       : ends_with(prefix, ":crio:")	     ? "cri-o"
		       : ends_with(prefix, ":docker:")	     ? "docker"
							     : "";
	return ends_with(prefix, ":") || ends_with(prefix, "-");
}

static bool take_container(struct span component, struct path_identity *identity)
{
	struct span body = component;
	const char *id, *runtime = "";

	if (ends_with(body, ".scope"))
		body.length -= strlen(".scope");
	if (body.length < RUNTIME_ID_LENGTH)
		return false;
	id = body.start + body.length - RUNTIME_ID_LENGTH;
	if (!is_hex(id, RUNTIME_ID_LENGTH))
		return false;
	body.length -= RUNTIME_ID_LENGTH;
	if (body.length > 0 && !runtime_of_prefix(body, &runtime))
		return false;

	identity->is_container = true;
	memcpy(identity->runtime_id, id, RUNTIME_ID_LENGTH);
	identity->runtime_id[RUNTIME_ID_LENGTH] = '\0';
	snprintf(identity->runtime, sizeof(identity->runtime), "%s", runtime);
	return true;
}

/* 8-4-4-4-12, with '_' for '-' where systemd wrote it; or a static pod's 32 digits. */
static bool copy_uid(struct span text, char ret_uid[40])
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (text.length == 32 && is_hex(text.start, 32)) {
		memcpy(ret_uid, text.start, 32);
		ret_uid[32] = '\0';
		return true;
	}
	if (text.length != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		char c = text.start[i];
		bool is_right = shape[i] == 'x' ? is_hex(&c, 1) : c == '-' || c == '_';

		if (!is_right)
			return false;
	}
	for (size_t i = 0; i < text.length; i++)
		ret_uid[i] = text.start[i] == '_' ? '-' : text.start[i];
	ret_uid[text.length] = '\0';
	return true;
}

/* "pod<uid>", "kubepods-burstable-pod<uid>.slice", and the latter before ":cri-containerd:". */
static void take_pod(struct span component, struct path_identity *identity)
{
	const char *colon = memchr(component.start, ':', component.length);
	struct span uid;

	if (colon)
		component.length = (size_t)(colon - component.start);
	if (ends_with(component, ".slice") && starts_with(component, "kubepods"))
		component.length -= strlen(".slice");
	else if (!starts_with(component, "pod"))
		return;

	for (size_t i = 0; i + 3 <= component.length; i++) {
		if (strncmp(component.start + i, "pod", 3) != 0)
			continue;
		uid.start = component.start + i + 3;
		uid.length = component.length - i - 3;
		if (copy_uid(uid, identity->pod_uid))
			return;
	}
}

static bool next_component(const char **cursor, struct span *ret)
{
	*cursor += strspn(*cursor, "/");
	ret->start = *cursor;
	ret->length = strcspn(*cursor, "/");
	*cursor += ret->length;
	return ret->length > 0;
}

void path_identity_parse(const char *cgroup_path, struct path_identity *ret)
{
	struct path_identity identity = {0};
	const char *cursor = cgroup_path;
	struct span component;

	while (next_component(&cursor, &component)) {
		take_pod(component, &identity);
		/* The deepest wins: a container inside a container is its own. */
		if (take_container(component, &identity))
			identity.container_path_length = (size_t)(cursor - cgroup_path);
	}
	*ret = identity;
}

static bool is_unit(struct span component)
{
	return ends_with(component, ".service") || ends_with(component, ".scope") ||
	       ends_with(component, ".mount") || ends_with(component, ".socket") ||
	       ends_with(component, ".swap");
}

/* systemd writes '-' inside a unit's name as "\x2d". Other escapes are rare: left as they are. */
static void copy_readable(const char *text, char *ret, size_t capacity)
{
	size_t n = 0;

	while (*text && n + 1 < capacity) {
		if (strncmp(text, "\\x2d", 4) == 0) {
			ret[n++] = '-';
			text += 4;
		} else {
			ret[n++] = *text++;
		}
	}
	ret[n] = '\0';
}

void path_system_name(const char *cgroup_path, char *ret_name, size_t capacity)
{
	const char *cursor = cgroup_path, *name = NULL;
	struct path_identity identity;
	struct span component;

	if (cgroup_path[strspn(cgroup_path, "/")] == '\0') {
		snprintf(ret_name, capacity, "kernel and root tasks");
		return;
	}
	path_identity_parse(cgroup_path, &identity);
	if (identity.pod_uid[0] && !identity.is_container) {
		snprintf(ret_name, capacity, "pod %s", identity.pod_uid);
		return;
	}
	while (next_component(&cursor, &component)) {
		if (is_unit(component))
			name = component.start;
		else if (!name && ends_with(component, ".slice") && *cursor == '\0')
			name = component.start;
	}
	copy_readable(name ? name : cgroup_path + strspn(cgroup_path, "/"), ret_name, capacity);
}
