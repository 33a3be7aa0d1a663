#include "cgroup/table.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "cgroup/identity.h"

#define ID "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"

/* A tree of plain directories stands for the hierarchy: ids are inodes there, too. */
struct tree {
	char root[64], bundles[64];
	struct cgroup_mode mode;
};

static void make_dir(const char *root, const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0755), 0);
}

static void remove_dir(const struct tree *tree, const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", tree->root, path);
	assert_int_equal(rmdir(whole), 0);
}

static uint64_t inode(const struct tree *tree, const char *path)
{
	char whole[512];
	struct stat status;

	snprintf(whole, sizeof(whole), "%s%s", tree->root, path);
	assert_int_equal(stat(whole, &status), 0);
	return status.st_ino;
}

static int set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	strcpy(tree->root, "/tmp/nwagent-table-XXXXXX");
	strcpy(tree->bundles, "/tmp/nwagent-bundles-XXXXXX");
	if (!mkdtemp(tree->root) || !mkdtemp(tree->bundles))
		return -1;
	tree->mode.version = CGROUP_V2;
	snprintf(tree->mode.cpu_root, sizeof(tree->mode.cpu_root), "%s", tree->root);
	make_dir(tree->root, "/docker");
	make_dir(tree->root, "/docker/" ID);
	make_dir(tree->root, "/docker/" ID "/inner");
	make_dir(tree->root, "/kubelet.service");
	*state = tree;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	struct tree *tree = *state;

	nftw(tree->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	nftw(tree->bundles, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(tree);
	return 0;
}

static struct cgroup_table *make_table(const struct tree *tree, size_t capacity)
{
	struct cgroup_table *table;

	assert_int_equal(cgroup_table_new(&tree->mode, capacity, &table), 0);
	assert_int_equal(cgroup_table_refresh(table), 0);
	return table;
}

static void every_cgroup_is_found_by_its_inode(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 64);
	const struct cgroup *root = cgroup_table_find(table, inode(tree, ""));
	const struct cgroup *inner = cgroup_table_find(table, inode(tree, "/docker/" ID "/inner"));

	assert_int_equal(cgroup_table_size(table), 5);
	assert_string_equal(root->path, "/");
	assert_int_equal(root->parent_id, 0);
	assert_string_equal(root->identity.name, "kernel and root tasks");
	assert_string_equal(inner->path, "/docker/" ID "/inner");
	assert_int_equal(inner->parent_id, inode(tree, "/docker/" ID));
	assert_null(cgroup_table_find(table, 1));
	cgroup_table_free(table);
}

static void everything_below_a_container_is_the_container(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 64);
	const struct cgroup *outer = cgroup_table_find(table, inode(tree, "/docker/" ID));
	const struct cgroup *inner = cgroup_table_find(table, inode(tree, "/docker/" ID "/inner"));
	const struct cgroup *kubelet = cgroup_table_find(table, inode(tree, "/kubelet.service"));

	assert_true(outer->identity.is_container);
	assert_int_equal(outer->identity.container_id, inner->identity.container_id);
	assert_string_equal(outer->identity.name, "4c1f0e1b7f5a");
	assert_false(kubelet->identity.is_container);
	cgroup_table_free(table);
}

static void dead_cgroup_stays_until_its_last_windows_are_made(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 64);
	const uint64_t id = inode(tree, "/kubelet.service");

	remove_dir(tree, "/kubelet.service");
	for (unsigned int refresh = 1; refresh <= 3; refresh++) {
		assert_int_equal(cgroup_table_refresh(table), 0);
		assert_non_null(cgroup_table_find(table, id));
		assert_false(cgroup_table_find(table, id)->is_alive);
		/* A walk cannot know whether a task is still on its way out. */
		assert_false(cgroup_table_find(table, id)->is_released);
		assert_int_equal(cgroup_table_find(table, id)->dead_refreshes, refresh);
	}
	assert_int_equal(cgroup_table_refresh(table), 0);
	assert_null(cgroup_table_find(table, id));
	assert_int_equal(cgroup_table_size(table), 4);
	cgroup_table_free(table);
}

static void cgroup_made_again_is_another_one(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 64);
	const uint64_t old_id = inode(tree, "/kubelet.service");
	uint64_t new_id;

	/* Holding the old directory open keeps the file system from handing its inode out again. */
	cleanup(close_fdp) int held = -1;
	char path[128];

	snprintf(path, sizeof(path), "%s/kubelet.service", tree->root);
	held = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(held >= 0);
	remove_dir(tree, "/kubelet.service");
	make_dir(tree->root, "/kubelet.service");
	new_id = inode(tree, "/kubelet.service");
	assert_true(new_id != old_id);
	assert_int_equal(cgroup_table_refresh(table), 0);
	assert_false(cgroup_table_find(table, old_id)->is_alive);
	assert_true(cgroup_table_find(table, new_id)->is_alive);
	assert_int_equal(cgroup_table_find(table, old_id)->identity.container_id,
			 cgroup_table_find(table, new_id)->identity.container_id);
	cgroup_table_free(table);
}

static void what_does_not_fit_is_counted(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 3);

	assert_int_equal(cgroup_table_size(table), 3);
	assert_int_equal(cgroup_table_dropped(table), 2);
	assert_int_equal(cgroup_table_refresh(table), 0); /* asks for the same two again */
	assert_int_equal(cgroup_table_dropped(table), 4);
	cgroup_table_free(table);
}

static void bundle_that_appears_later_gives_the_name(void **state)
{
	const struct tree *tree = *state;
	char *dirs[] = {(char *)tree->bundles};
	const struct identity_sources sources = {.oci_state_dirs = dirs, .n_oci_state_dirs = 1};
	cleanup(freep) char *text = NULL;
	cleanup(close_fdp) int dir = -1;
	struct cgroup_table *table;
	const struct cgroup *cgroup;
	char path[256];
	size_t length;
	uint64_t id;

	assert_int_equal(cgroup_table_new(&tree->mode, 64, &table), 0);
	cgroup_table_set_sources(table, &sources);
	assert_int_equal(cgroup_table_refresh(table), 0);
	id = inode(tree, "/docker/" ID);
	cgroup = cgroup_table_find(table, id);
	assert_string_equal(cgroup->identity.name, "4c1f0e1b7f5a");
	cgroup_table_identity_sent(table, id);
	assert_int_equal(cgroup_table_refresh(table), 0);
	assert_false(cgroup_table_find(table, id)->identity_changed);

	/* containerd's layout: <state>/io.containerd.runtime.v2.task/<namespace>/<id>/ */
	make_dir(tree->bundles, "/io.containerd.runtime.v2.task");
	make_dir(tree->bundles, "/io.containerd.runtime.v2.task/k8s.io");
	make_dir(tree->bundles, "/io.containerd.runtime.v2.task/k8s.io/" ID);
	snprintf(path, sizeof(path), "%s/io.containerd.runtime.v2.task/k8s.io/%s", tree->bundles,
		 ID);
	assert_int_equal(file_read(AT_FDCWD, "tests/fixtures/runtimes/containerd.json", 65536,
				   &text, &length),
			 0);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(file_write_atomic(dir, "config.json", text, length, 0644, false), 0);
	assert_int_equal(cgroup_table_refresh(table), 0);
	cgroup = cgroup_table_find(table, id);
	assert_string_equal(cgroup->identity.name, "payments");
	assert_string_equal(cgroup->identity.namespace, "shop");
	assert_true(cgroup->identity_changed);
	cgroup_table_free(table);
}

static void iteration_visits_each_cgroup_once(void **state)
{
	const struct tree *tree = *state;
	struct cgroup_table *table = make_table(tree, 64);
	size_t cursor = 0, n = 0;

	while (cgroup_table_next(table, &cursor))
		n++;
	assert_int_equal(n, 5);
	cgroup_table_free(table);
}

static void missing_hierarchy_is_an_error_and_no_cgroups(void **state)
{
	const struct cgroup_mode mode = {.version = CGROUP_V2, .cpu_root = "/nowhere/at/all"};
	struct cgroup_table *table;

	(void)state;
	assert_int_equal(cgroup_table_new(&mode, 64, &table), 0);
	assert_true(cgroup_table_refresh(table) < 0);
	assert_int_equal(cgroup_table_size(table), 0);
	cgroup_table_free(table);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_cgroup_is_found_by_its_inode),
		TEST(everything_below_a_container_is_the_container),
		TEST(dead_cgroup_stays_until_its_last_windows_are_made),
		TEST(cgroup_made_again_is_another_one),
		TEST(what_does_not_fit_is_counted),
		TEST(bundle_that_appears_later_gives_the_name),
		TEST(iteration_visits_each_cgroup_once),
		TEST(missing_hierarchy_is_an_error_and_no_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
