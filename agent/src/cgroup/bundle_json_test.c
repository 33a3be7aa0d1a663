#include "cgroup/bundle_json.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "cgroup/identity.h"

#define UID "6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10"

typedef int parser(const char *text, size_t length, struct cgroup_identity *identity);

static struct cgroup_identity parse_fixture(const char *name, parser *parse)
{
	struct cgroup_identity identity = {0};
	cleanup(freep) char *text = NULL;
	char path[128];
	size_t length;

	snprintf(path, sizeof(path), "tests/fixtures/runtimes/%s", name);
	assert_int_equal(file_read(AT_FDCWD, path, 65536, &text, &length), 0);
	assert_int_equal(identity_set_text(&identity.name, "4c1f0e1b7f5a"), 0);
	assert_int_equal(parse(text, length, &identity), 0);
	return identity;
}

static void containerd_bundle_names_container_pod_and_image(void **state)
{
	struct cgroup_identity identity = parse_fixture("containerd.json", oci_config_parse);

	(void)state;
	assert_string_equal(identity.name, "payments");
	assert_string_equal(identity.pod, "payments-7d9f");
	assert_string_equal(identity.namespace, "shop");
	assert_string_equal(identity.pod_uid, UID);
	assert_string_equal(identity.image, "registry.example/payments:1.4");
	assert_string_equal(identity.runtime, "containerd");
	identity_free(&identity);
}

static void pause_container_is_called_so(void **state)
{
	struct cgroup_identity identity =
		parse_fixture("containerd-sandbox.json", oci_config_parse);

	(void)state;
	assert_string_equal(identity.name, "pause");
	assert_string_equal(identity.pod, "payments-7d9f");
	identity_free(&identity);
}

static void crio_bundle_has_the_pod_labels_too(void **state)
{
	struct cgroup_identity identity = parse_fixture("crio.json", oci_config_parse);

	(void)state;
	assert_string_equal(identity.name, "ledger");
	assert_string_equal(identity.pod, "ledger-0");
	assert_string_equal(identity.namespace, "bank");
	assert_string_equal(identity.image, "registry.example/ledger:3");
	assert_string_equal(identity.runtime, "cri-o");
	assert_string_equal(identity.labels[0], "app");
	assert_string_equal(identity.labels[1], "ledger");
	assert_string_equal(identity.labels[2], "team");
	assert_string_equal(identity.labels[3], "bank");
	assert_null(identity.labels[4]);
	identity_free(&identity);
}

static void docker_file_names_the_container_without_its_slash(void **state)
{
	struct cgroup_identity identity =
		parse_fixture("docker-config.v2.json", docker_config_parse);

	(void)state;
	assert_string_equal(identity.name, "shop-web-1");
	assert_string_equal(identity.image, "registry.example/web:2");
	assert_string_equal(identity.runtime, "docker");
	assert_string_equal(identity.labels[0], "com.docker.compose.project");
	assert_string_equal(identity.labels[1], "shop");
	identity_free(&identity);
}

static void docker_bundle_without_annotations_keeps_the_short_id(void **state)
{
	struct cgroup_identity identity = {0};
	static const char text[] = "{\"ociVersion\":\"1.0.2\",\"hostname\":\"4c1f0e1b7f5a\"}";

	(void)state;
	assert_int_equal(identity_set_text(&identity.name, "4c1f0e1b7f5a"), 0);
	assert_int_equal(oci_config_parse(text, strlen(text), &identity), 0);
	assert_string_equal(identity.name, "4c1f0e1b7f5a");
	identity_free(&identity);
}

static void hostile_files_are_refused_or_harmless(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"null",
		"\"text\"",
		"{",
		"{\"annotations\":5}",
		"{\"annotations\":{\"io.kubernetes.cri.container-type\":7}}",
		"{\"annotations\":{\"io.kubernetes.cri.container-type\":\"container\","
		"\"io.kubernetes.cri.container-name\":\"\"}}",
		"{\"annotations\":{\"io.kubernetes.container.name\":\"x\","
		"\"io.kubernetes.cri-o.Labels\":\"{{{\"}}",
		"{\"annotations\":{\"io.kubernetes.container.name\":\"x\","
		"\"io.kubernetes.cri-o.Labels\":\"[1]\"}}",
		"{\"Name\":5,\"Config\":{\"Image\":[],\"Labels\":[\"x\"]}}",
		"{\"Name\":\"/\",\"Config\":{\"Labels\":{\"a\":1}}}",
		"{\"Name\":\"/a\",\"Name\":\"/b\"}",
		"{\"Name\":\"/a\xff\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cgroup_identity identity = {0};

		assert_int_equal(identity_set_text(&identity.name, "short"), 0);
		(void)oci_config_parse(texts[i], strlen(texts[i]), &identity);
		(void)docker_config_parse(texts[i], strlen(texts[i]), &identity);
		assert_true(identity.name[0] != '\0');
		identity_free(&identity);
	}
}

static void labels_and_texts_are_bounded(void **state)
{
	struct cgroup_identity identity = {0};
	cleanup(freep) char *text = malloc(65536);
	size_t n;

	(void)state;
	assert_non_null(text);
	n = (size_t)sprintf(text, "{\"Name\":\"/");
	for (int i = 0; i < 300; i++)
		n += (size_t)sprintf(text + n, "\xc3\xa9"); /* two bytes a character */
	n += (size_t)sprintf(text + n, "\",\"Config\":{\"Labels\":{");
	for (int i = 0; i < 100; i++)
		n += (size_t)sprintf(text + n, "%s\"k%d\":\"v\"", i ? "," : "", i);
	n += (size_t)sprintf(text + n, "}}}");

	assert_int_equal(docker_config_parse(text, n, &identity), 0);
	assert_int_equal(strlen(identity.name), 254); /* not half a character */
	for (n = 0; identity.labels[n]; n++)
		;
	assert_int_equal(n, 2 * IDENTITY_MAX_LABELS);
	identity_free(&identity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containerd_bundle_names_container_pod_and_image),
		cmocka_unit_test(pause_container_is_called_so),
		cmocka_unit_test(crio_bundle_has_the_pod_labels_too),
		cmocka_unit_test(docker_file_names_the_container_without_its_slash),
		cmocka_unit_test(docker_bundle_without_annotations_keeps_the_short_id),
		cmocka_unit_test(hostile_files_are_refused_or_harmless),
		cmocka_unit_test(labels_and_texts_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
