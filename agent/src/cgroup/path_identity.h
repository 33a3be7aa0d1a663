#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNTIME_ID_LENGTH 64 /* hexadecimal digits; every runtime we know uses SHA-256's width */

/* What a cgroup's path alone tells. */
struct path_identity {
	bool is_container;
	char runtime[16]; /* docker, containerd, cri-o, podman; "" = not in the path */
	char runtime_id[RUNTIME_ID_LENGTH +
			1];	      /* deepest one in the path; "" for a system cgroup */
	char pod_uid[40];	      /* with hyphens, or 32 digits for a static pod; "" = none */
	size_t container_path_length; /* how much of the path is the container's own cgroup */
};

/* PURE, for cgroupfs and systemd drivers alike. Any bytes are a valid path. */
void path_identity_parse(const char *cgroup_path, struct path_identity *ret);

/*
 * A name that people can read for a cgroup that is no container, never empty: the unit
 * and what is below it ("kubelet.service"), a pod's own level, or the path.
 */
void path_system_name(const char *cgroup_path, char *ret_name, size_t capacity);

/* 63-bit, the same on every start: FNV-1a of "container:<id>" or "system:<path>". */
uint64_t container_id_of(bool is_container, const char *runtime_id_or_path);

/* The row that quiet system cgroups are folded into. */
#define FOLD_PATH "(other)"
