#pragma once

#include <stdbool.h>

#include "cgroup/table.h"

/* Where runtimes keep what they know. Directories that do not exist are passed over. */
struct identity_sources {
	char *const *oci_state_dirs;
	size_t n_oci_state_dirs;
	char *const *docker_data_roots;
	size_t n_docker_data_roots;
};

/*
 * Who a cgroup is: from its path, then from the runtime's files. Succeeds without
 * them: a container is then called by the first 12 digits of its id, and
 * `ret_is_complete` is false, so that the caller asks again later.
 */
int identity_resolve(const struct identity_sources *sources, const char *cgroup_path,
		     struct cgroup_identity *ret_identity, bool *ret_is_complete);
void identity_free(struct cgroup_identity *identity);
bool identity_equal(const struct cgroup_identity *a, const struct cgroup_identity *b);

/* Replaces a text, cut to IDENTITY_MAX_TEXT bytes at a character's border. */
int identity_set_text(char **field, const char *text);

void labels_free(char **labels);
static inline void labels_freep(char ***labels)
{
	labels_free(*labels);
}
