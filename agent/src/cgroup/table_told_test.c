/* The table where somebody tells births and deaths, instead of walks that find them. */
#include "cgroup/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CAPACITY 64
#define MS	 UINT64_C(1000000)

struct told {
	char root[64]; /* an empty hierarchy: a walk finds its root and nobody else */
	struct cgroup_mode mode;
	struct cgroup_table *table;
	uint64_t root_id;
};

static int set_up(void **state)
{
	struct told *self = calloc(1, sizeof(*self));
	struct stat status;

	strcpy(self->root, "/tmp/nwagent-told-XXXXXX");
	if (!mkdtemp(self->root) || stat(self->root, &status) < 0)
		return -1;
	self->root_id = status.st_ino;
	self->mode.version = CGROUP_V2;
	snprintf(self->mode.cpu_root, sizeof(self->mode.cpu_root), "%s", self->root);
	assert_int_equal(cgroup_table_new(&self->mode, CAPACITY, &self->table), 0);
	cgroup_table_follow(self->table, true);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	*state = self;
	return 0;
}

static int tear_down(void **state)
{
	struct told *self = *state;

	rmdir(self->root);
	cgroup_table_free(self->table);
	free(self);
	return 0;
}

/* Ids far from any inode's. */
static uint64_t id_of(unsigned int n)
{
	return (UINT64_C(1) << 40) + n;
}

static void born(const struct told *self, unsigned int n, uint64_t at_ns)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/job-%u", n);
	assert_int_equal(cgroup_table_born(self->table, id_of(n), self->root_id, path, at_ns), 0);
}

static void live(const struct told *self, unsigned int n, uint64_t lifetime_ns)
{
	born(self, n, 1000 * MS);
	cgroup_table_died(self->table, id_of(n), 1000 * MS + lifetime_ns);
	cgroup_table_released(self->table, id_of(n));
}

static const struct cgroup *find(const struct told *self, unsigned int n)
{
	return cgroup_table_find(self->table, id_of(n));
}

static void a_birth_gives_the_name_at_once(void **state)
{
	const struct told *self = *state;

	born(self, 1, MS);
	assert_string_equal(find(self, 1)->path, "/job-1");
	assert_string_equal(find(self, 1)->identity.name, "job-1");
	assert_int_equal(find(self, 1)->parent_id, self->root_id);
	assert_true(find(self, 1)->is_alive);
	assert_true(find(self, 1)->identity_changed);
}

static void between_two_checks_nobody_walks(void **state)
{
	const struct told *self = *state;

	born(self, 1, MS); /* there is no such directory: a walk would bury it */
	for (int i = 0; i < 20; i++)
		assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_true(find(self, 1)->is_alive);
}

static void a_check_finds_a_death_that_was_missed(void **state)
{
	const struct told *self = *state;

	born(self, 1, MS);
	for (int i = 0; i < 31; i++)
		assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_non_null(find(self, 1));
	assert_false(find(self, 1)->is_alive);
}

static void distrust_makes_the_next_refresh_walk(void **state)
{
	const struct told *self = *state;

	born(self, 1, MS);
	cgroup_table_distrust(self->table);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_false(find(self, 1)->is_alive);
	born(self, 2, MS);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_true(find(self, 2)->is_alive);
}

static void who_is_released_can_be_asked_for_three_more_refreshes(void **state)
{
	const struct told *self = *state;

	live(self, 1, 10 * MS);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cgroup_table_refresh(self->table), 0);
		assert_non_null(find(self, 1));
		assert_true(find(self, 1)->is_released);
	}
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_null(find(self, 1));
}

/* On v2 charged memory may hold a removed cgroup for hours. */
static void who_is_not_released_counts_as_such_after_a_whole_refresh(void **state)
{
	const struct told *self = *state;

	born(self, 1, MS);
	cgroup_table_died(self->table, id_of(1), 2 * MS);
	assert_false(find(self, 1)->is_alive);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_false(find(self, 1)->is_released);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_true(find(self, 1)->is_released);
}

static void a_full_table_keeps_the_living_and_who_may_have_run_long(void **state)
{
	const struct told *self = *state;
	size_t kept = 0;

	for (unsigned int n = 0; n < 10; n++)
		born(self, n, MS);
	for (unsigned int n = 10; n < 30; n++)
		live(self, n, 5000 * MS);
	for (unsigned int n = 30; n < 200; n++)
		live(self, n, MS / 1000);
	for (unsigned int n = 0; n < 30; n++) {
		assert_non_null(find(self, n));
		assert_string_equal(find(self, n)->identity.name,
				    strrchr(find(self, n)->path, '/') + 1);
	}
	for (unsigned int n = 30; n < 200; n++)
		kept += find(self, n) != NULL;
	assert_int_equal(cgroup_table_size(self->table), 31 + kept);
	assert_int_equal(cgroup_table_dropped(self->table), 170 - kept);
}

static void a_full_table_forgets_first_whose_windows_are_made(void **state)
{
	const struct told *self = *state;

	live(self, 1, 5000 * MS);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	live(self, 2, 5000 * MS);
	assert_int_equal(cgroup_table_refresh(self->table), 0);
	for (unsigned int n = 3; n < CAPACITY + 1; n++)
		live(self, n, MS / 1000);
	assert_null(find(self, 1));
	assert_non_null(find(self, 2));
	assert_int_equal(cgroup_table_dropped(self->table), 0);
}

static void a_table_full_of_living_counts_who_finds_no_room(void **state)
{
	const struct told *self = *state;

	for (unsigned int n = 0; n < CAPACITY + 5; n++)
		born(self, n, MS);
	assert_int_equal(cgroup_table_size(self->table), CAPACITY);
	assert_int_equal(cgroup_table_dropped(self->table), 6); /* the root holds a place, too */
	assert_null(find(self, CAPACITY + 4));
	cgroup_table_died(self->table, id_of(CAPACITY + 4), 2 * MS); /* of nobody that we know */
}

static void a_container_is_found_by_its_topmost_and_newest_cgroup(void **state)
{
	const struct told *self = *state;
	uint64_t container_id;

	born(self, 1, MS);
	container_id = find(self, 1)->identity.container_id;
	assert_ptr_equal(cgroup_table_find_container(self->table, container_id), find(self, 1));
	cgroup_table_died(self->table, id_of(1), 2 * MS);
	assert_int_equal(cgroup_table_born(self->table, id_of(2), self->root_id, "/job-1", 3 * MS),
			 0);
	assert_ptr_equal(cgroup_table_find_container(self->table, container_id), find(self, 2));
	assert_int_equal(cgroup_table_born(self->table, id_of(3), id_of(2), "/job-1/inner", 4 * MS),
			 0);
	assert_ptr_equal(cgroup_table_find_container(self->table, container_id), find(self, 2));
	for (int i = 0; i < 4; i++)
		assert_int_equal(cgroup_table_refresh(self->table), 0);
	assert_null(find(self, 1));
	assert_ptr_equal(cgroup_table_find_container(self->table, container_id), find(self, 2));
	assert_null(cgroup_table_find_container(self->table, 12345));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_birth_gives_the_name_at_once),
		TEST(between_two_checks_nobody_walks),
		TEST(a_check_finds_a_death_that_was_missed),
		TEST(distrust_makes_the_next_refresh_walk),
		TEST(who_is_released_can_be_asked_for_three_more_refreshes),
		TEST(who_is_not_released_counts_as_such_after_a_whole_refresh),
		TEST(a_full_table_keeps_the_living_and_who_may_have_run_long),
		TEST(a_full_table_forgets_first_whose_windows_are_made),
		TEST(a_table_full_of_living_counts_who_finds_no_room),
		TEST(a_container_is_found_by_its_topmost_and_newest_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
