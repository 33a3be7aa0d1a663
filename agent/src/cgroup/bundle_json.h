#pragma once

#include <stddef.h>

#include "cgroup/table.h"

/*
 * PURE: what runtimes write down about a container -> who it is. Hostile input is
 * only ever refused (-EINVAL); on success the fields found replace those of
 * `identity`, the rest stay.
 */

/* config.json of an OCI bundle: annotations of containerd's CRI plugin and of CRI-O. */
int oci_config_parse(const char *text, size_t length, struct cgroup_identity *identity);

/* Docker's config.v2.json: name, image, labels. */
int docker_config_parse(const char *text, size_t length, struct cgroup_identity *identity);

#define IDENTITY_MAX_LABELS 32
#define IDENTITY_MAX_TEXT   255 /* bytes of any one name, key or value; longer ones are cut */
