#include "cgroup/bundle_json.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "cgroup/identity.h"

static int load_object(const char *text, size_t length, json_t **ret_root)
{
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);

	if (!root)
		return -EINVAL;
	if (!json_is_object(root)) {
		json_decref(root);
		return -EINVAL;
	}
	*ret_root = root;
	return 0;
}

/* A field that is absent, empty or no text leaves the old one. */
static int replace(char **field, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || text[0] == '\0')
		return 0;
	return identity_set_text(field, text);
}

static int set_labels(struct cgroup_identity *identity, json_t *object)
{
	cleanup(labels_freep) char **labels = NULL;
	const char *key;
	size_t n = 0;
	json_t *label;

	if (!json_is_object(object) || json_object_size(object) == 0)
		return 0;
	labels = calloc(2 * IDENTITY_MAX_LABELS + 1, sizeof(labels[0]));
	if (!labels)
		return -ENOMEM;
	json_object_foreach(object, key, label)
	{
		const char *text = json_string_value(label);
		int r;

		if (!text || n == 2 * (size_t)IDENTITY_MAX_LABELS)
			continue;
		r = identity_set_text(&labels[n++], key);
		if (r == 0)
			r = identity_set_text(&labels[n++], text);
		if (r < 0)
			return r;
	}
	labels_free(identity->labels);
	identity->labels = take_ptr(labels);
	return 0;
}

/* Kubernetes' words, as a label or an annotation of any runtime: {field, key}. */
static int take_kubernetes(struct cgroup_identity *identity, const json_t *object,
			   const char *const keys[4])
{
	int r = replace(&identity->name, object, keys[0]);

	if (r == 0)
		r = replace(&identity->pod, object, keys[1]);
	if (r == 0)
		r = replace(&identity->namespace, object, keys[2]);
	if (r == 0)
		r = replace(&identity->pod_uid, object, keys[3]);
	return r;
}

static int take_containerd(struct cgroup_identity *identity, const json_t *annotations)
{
	static const char *const keys[] = {
		"io.kubernetes.cri.container-name",
		"io.kubernetes.cri.sandbox-name",
		"io.kubernetes.cri.sandbox-namespace",
		"io.kubernetes.cri.sandbox-uid",
	};
	const char *type =
		json_string_value(json_object_get(annotations, "io.kubernetes.cri.container-type"));
	int r;

	r = take_kubernetes(identity, annotations, keys);
	if (r == 0)
		r = replace(&identity->image, annotations, "io.kubernetes.cri.image-name");
	if (r == 0)
		r = identity_set_text(&identity->runtime, "containerd");
	/* The pause container has no name of its own. */
	if (r == 0 && type && strcmp(type, "sandbox") == 0)
		r = identity_set_text(&identity->name, "pause");
	return r;
}

static int take_crio(struct cgroup_identity *identity, const json_t *annotations)
{
	static const char *const keys[] = {
		"io.kubernetes.container.name",
		"io.kubernetes.pod.name",
		"io.kubernetes.pod.namespace",
		"io.kubernetes.pod.uid",
	};
	cleanup(json_decrefp) json_t *labels = NULL;
	const char *text =
		json_string_value(json_object_get(annotations, "io.kubernetes.cri-o.Labels"));
	int r;

	r = take_kubernetes(identity, annotations, keys);
	if (r == 0)
		r = replace(&identity->image, annotations, "io.kubernetes.cri-o.ImageName");
	if (r == 0)
		r = identity_set_text(&identity->runtime, "cri-o");
	/* JSON inside JSON: the pod's labels. Malformed ones cost the labels, not the names. */
	if (r == 0 && text && load_object(text, strlen(text), &labels) == 0)
		r = set_labels(identity, labels);
	return r;
}

int oci_config_parse(const char *text, size_t length, struct cgroup_identity *identity)
{
	cleanup(json_decrefp) json_t *root = NULL;
	const json_t *annotations;
	int r;

	r = load_object(text, length, &root);
	if (r < 0)
		return r;
	annotations = json_object_get(root, "annotations");
	if (json_object_get(annotations, "io.kubernetes.cri.container-type"))
		return take_containerd(identity, annotations);
	if (json_object_get(annotations, "io.kubernetes.container.name"))
		return take_crio(identity, annotations);

	/* A bundle without Kubernetes: an image's own words, if the builder kept them. */
	r = replace(&identity->image, annotations, "org.opencontainers.image.ref.name");
	if (r == 0)
		r = replace(&identity->name, annotations, "org.opencontainers.image.title");
	return r;
}

int docker_config_parse(const char *text, size_t length, struct cgroup_identity *identity)
{
	static const char *const keys[] = {
		"io.kubernetes.container.name",
		"io.kubernetes.pod.name",
		"io.kubernetes.pod.namespace",
		"io.kubernetes.pod.uid",
	};
	cleanup(json_decrefp) json_t *root = NULL;
	const char *name;
	json_t *config, *labels;
	int r;

	r = load_object(text, length, &root);
	if (r < 0)
		return r;
	name = json_string_value(json_object_get(root, "Name"));
	config = json_object_get(root, "Config");
	labels = json_object_get(config, "Labels");

	r = identity_set_text(&identity->runtime, "docker");
	if (r == 0 && name && name[0] == '/' && name[1])
		r = identity_set_text(&identity->name, name + 1);
	if (r == 0)
		r = replace(&identity->image, config, "Image");
	if (r == 0)
		r = take_kubernetes(identity, labels, keys);
	if (r == 0)
		r = set_labels(identity, labels);
	return r;
}
