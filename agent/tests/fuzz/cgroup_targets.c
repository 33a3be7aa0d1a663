#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "cgroup/bundle_json.h"
#include "cgroup/cpu_stat_parse.h"
#include "cgroup/identity.h"
#include "cgroup/mode.h"
#include "cgroup/path_identity.h"
#include "targets.h"

void fuzz_path(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *path = fuzz_text(bytes, length);
	struct path_identity identity;
	char name[IDENTITY_MAX_TEXT + 1], tiny[4];

	path_identity_parse(path, &identity);
	fuzz_expect(strlen(identity.runtime_id) == (identity.is_container ? RUNTIME_ID_LENGTH : 0),
		    "a container has 64 digits, and nothing else has");
	fuzz_expect(identity.container_path_length <= strlen(path), "its part is in the path");
	fuzz_expect(identity.is_container == (identity.container_path_length > 0),
		    "a container has a part of the path");
	fuzz_expect(strlen(identity.pod_uid) == 0 || strlen(identity.pod_uid) == 32 ||
			    strlen(identity.pod_uid) == 36,
		    "a pod's id has one of two shapes");
	fuzz_expect((int64_t)container_id_of(identity.is_container,
					     identity.is_container ? identity.runtime_id : path) >=
			    0,
		    "63 bits");

	path_system_name(path, name, sizeof(name));
	fuzz_expect(name[0] != '\0', "a name is never empty");
	path_system_name(path, tiny, sizeof(tiny));
	fuzz_expect(strncmp(tiny, name, sizeof(tiny) - 1) == 0, "a cut name is the name's start");
}

static void expect_text(const char *text)
{
	fuzz_expect(!text || strlen(text) <= IDENTITY_MAX_TEXT, "texts are cut");
}

static void expect_identity(const struct cgroup_identity *identity)
{
	size_t n = 0;

	expect_text(identity->name);
	expect_text(identity->runtime);
	expect_text(identity->image);
	expect_text(identity->pod);
	expect_text(identity->namespace);
	expect_text(identity->pod_uid);
	for (; identity->labels && identity->labels[n]; n++)
		expect_text(identity->labels[n]);
	fuzz_expect(n <= 2 * (size_t)IDENTITY_MAX_LABELS && n % 2 == 0, "labels are pairs, capped");
	fuzz_expect(identity->name && identity->name[0], "a name that was known is not lost");
}

typedef int bundle_parser(const char *text, size_t length, struct cgroup_identity *identity);

/* Without a NUL at its end: the length must be believed. */
static void feed_bundle(bundle_parser *parse, const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_bytes(bytes, length);
	struct cgroup_identity identity = {0}, again = {0};
	int r;

	fuzz_expect(identity_set_text(&identity.name, "4c1f0e1b7f5a") == 0, "memory for a name");
	fuzz_expect(identity_set_text(&again.name, "4c1f0e1b7f5a") == 0, "memory for a name");
	r = parse(text, length, &identity);
	expect_identity(&identity);
	fuzz_expect(r == 0 || identity_equal(&identity, &again), "refused: nothing was changed");
	fuzz_expect(parse(text, length, &again) == r && identity_equal(&identity, &again),
		    "the same text, the same answer");
	identity_free(&identity);
	identity_free(&again);
}

void fuzz_oci(const uint8_t *bytes, size_t length)
{
	feed_bundle(oci_config_parse, bytes, length);
}

void fuzz_docker(const uint8_t *bytes, size_t length)
{
	feed_bundle(docker_config_parse, bytes, length);
}

void fuzz_mountinfo(const uint8_t *bytes, size_t length)
{
	struct cgroup_mode mode;
	char path[32];
	const int fd = fuzz_file(bytes, length, path);

	if (cgroup_mode_detect(path, &mode) == 0) {
		fuzz_expect(mode.cpu_root[0] != '\0', "the cpu controller is somewhere");
		fuzz_expect(strcmp(cgroup_version_name(mode.version), "unknown") != 0,
			    "a version that has a name");
	}
	close(fd);
}

void fuzz_cpu_stat(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_text(bytes, length);
	const struct cpu_counters before = {.usage_ns = 1, .quota_us = 2, .user_ns = 3};
	struct cpu_counters counters = before;
	uint32_t has = 0;
	uint64_t number = 4;

	if (cpu_stat_parse(text, &counters, &has) < 0)
		fuzz_expect(memcmp(&counters, &before, sizeof(before)) == 0 && has == 0,
			    "cpu.stat refused: nothing was changed");
	counters = before;
	if (cpu_max_parse(text, &counters) < 0)
		fuzz_expect(memcmp(&counters, &before, sizeof(before)) == 0,
			    "cpu.max refused: nothing was changed");
	counters = before;
	if (cpuacct_stat_parse(text, 100, &counters) < 0)
		fuzz_expect(memcmp(&counters, &before, sizeof(before)) == 0,
			    "cpuacct.stat refused: nothing was changed");
	if (cfs_quota_parse(text, &number) < 0)
		fuzz_expect(number == 4, "a quota refused: nothing was changed");
	number = 4;
	if (number_file_parse(text, &number) < 0)
		fuzz_expect(number == 4, "a number refused: nothing was changed");
}

void fuzz_cpulist(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_text(bytes, length);
	cleanup(freep) char *line = NULL;
	uint32_t count = 7, count_of_line = 0;

	if (parse_cpulist_count(text, &count) < 0) {
		fuzz_expect(count == 7, "refused: nothing was changed");
		return;
	}
	fuzz_expect(count <= 1u << 20, "no more CPUs than there can be");
	if (strchr(text, '\n'))
		return;
	length = strlen(text);
	line = fuzz_text((const uint8_t *)text, length + 1);
	line[length] = '\n';
	fuzz_expect(parse_cpulist_count(line, &count_of_line) == 0 && count_of_line == count,
		    "a newline at the end adds nothing");
}
