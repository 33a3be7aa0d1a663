#include "agent/batch.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cgroup/path_identity.h"

#define ID	 "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define OTHER_ID "5d1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define SECOND	 1000000000ULL

/* A container with a cgroup of its own inside, a service, and a service that does nothing. */
static char root[] = "/tmp/nwagent-batch-XXXXXX";

struct rig {
	struct config config;
	struct host_facts host;
	struct cgroup_table *cgroups;
	struct collector_set collectors;
	struct batch_maker maker;
	struct window_row rows[2];
	struct window_pair pairs[1];
	struct window window;
};

static void make_dir(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0755), 0);
}

static void remove_dir(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(rmdir(whole), 0);
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct cgroup_mode mode = {.version = CGROUP_V2};

	snprintf(mode.cpu_root, sizeof(mode.cpu_root), "%s", root);
	rig->host.cache_architecture = "unified";
	assert_int_equal(cgroup_table_new(&mode, 2048, &rig->cgroups), 0);
	assert_int_equal(cgroup_table_refresh(rig->cgroups), 0);
	assert_int_equal(batch_maker_init(&rig->maker, &rig->config, &rig->host, rig->cgroups,
					  &rig->collectors, 16, 16),
			 0);
	rig->rows[0].container_id = container_id_of(true, ID);
	rig->rows[1].container_id = container_id_of(false, "/busy.service");
	rig->pairs[0] =
		(struct window_pair){rig->rows[0].container_id, rig->rows[1].container_id, 5, 0};
	rig->window = (struct window){
		.duration_ns = 10 * SECOND,
		.rows = rig->rows,
		.n_rows = 2,
		.pairs = rig->pairs,
		.n_pairs = 1,
	};
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	batch_maker_free(&rig->maker);
	cgroup_table_free(rig->cgroups);
	free(rig);
	return 0;
}

static struct batch fill(struct rig *rig, uint64_t age_s, bool is_last)
{
	struct batch batch;

	assert_int_equal(batch_maker_fill(&rig->maker, &rig->window,
					  rig->maker.started_ns + age_s * SECOND, is_last, &batch),
			 0);
	return batch;
}

static bool names(const struct batch *batch, const char *name)
{
	for (size_t i = 0; i < batch->n_identities; i++) {
		if (strcmp(batch->identities[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool names_id(struct batch batch, const char *runtime_id)
{
	for (size_t i = 0; i < batch.n_identities; i++) {
		if (batch.identities[i].container_id == container_id_of(true, runtime_id))
			return true;
	}
	return false;
}

static void containers_are_named_at_once_and_services_when_they_do_something(void **state)
{
	struct batch batch = fill(*state, 10, false);

	assert_int_equal(batch.n_identities, 2);
	assert_true(names(&batch, "4c1f0e1b7f5a")); /* once, though it has a cgroup inside */
	assert_true(names(&batch, "busy.service"));
}

static void names_are_told_again_until_they_are_safe_and_then_hourly(void **state)
{
	struct rig *rig = *state;
	struct batch batch = fill(rig, 10, false);

	assert_int_equal(fill(rig, 20, false).n_identities, 2); /* the first was never stored */
	batch = fill(rig, 30, false);
	batch_maker_sent(&rig->maker, &batch);
	assert_int_equal(fill(rig, 40, false).n_identities, 0);
	assert_int_equal(fill(rig, 3700, false).n_identities, 2);
}

static void fold_row_has_a_name(void **state)
{
	struct rig *rig = *state;
	struct batch batch;

	rig->rows[1].container_id = container_id_of(false, FOLD_PATH);
	batch = fill(rig, 10, false);
	assert_true(names(&batch, "system (other)"));
	batch_maker_sent(&rig->maker, &batch);
	batch = fill(rig, 20, false);
	assert_false(names(&batch, "system (other)"));
}

static void facts_travel_until_one_batch_is_safe(void **state)
{
	struct rig *rig = *state;
	struct batch batch = fill(rig, 10, false);

	assert_non_null(batch.facts);
	batch = fill(rig, 20, false);
	assert_non_null(batch.facts);
	batch_maker_sent(&rig->maker, &batch);
	assert_null(fill(rig, 30, false).facts);
}

static void pairs_go_with_every_window_at_first_and_once_a_minute_later(void **state)
{
	struct rig *rig = *state;
	struct batch batch = fill(rig, 110, false);
	unsigned int n_with_blame = 0;

	assert_non_null(batch.blame);
	assert_int_equal(batch.blame->n_windows, 1);
	batch_maker_sent(&rig->maker, &batch);
	for (unsigned int i = 1; i <= 12; i++) {
		batch = fill(rig, 120 + 10 * i, false);
		batch_maker_sent(&rig->maker, &batch);
		if (!batch.blame)
			continue;
		n_with_blame++;
		assert_int_equal(i % 6, 0);
	}
	assert_int_equal(n_with_blame, 2);
}

static void last_window_takes_the_pairs_along(void **state)
{
	struct rig *rig = *state;
	struct batch batch = fill(rig, 10, false);

	batch_maker_sent(&rig->maker, &batch);
	assert_null(fill(rig, 200, false).blame);
	batch = fill(rig, 205, true);
	assert_non_null(batch.blame);
	assert_int_equal(batch.blame->n_windows, 2);
	assert_int_equal(batch.blame->pairs[0].preemptions, 10);
}

static struct batch fill_events(struct rig *rig, const struct batch_event *events, size_t n)
{
	struct batch batch = {.events = events, .n_events = n};

	announcer_fill_events(&rig->maker.announcer, events, n, &batch);
	return batch;
}

static void parties_of_an_event_are_named_with_it_and_nobody_else(void **state)
{
	struct rig *rig = *state;
	const struct batch_event event = {
		.container_id = container_id_of(true, ID),
		.share_ids = {container_id_of(false, "/quiet.service"), 0,
			      container_id_of(false, FOLD_PATH)},
		.event = {.shares = {{WAIT_SHARE_CGROUP, 1, 9},
				     {WAIT_SHARE_IDLE, 0, 9},
				     {WAIT_SHARE_CGROUP, 2, 9}},
			  .n_shares = 3},
	};
	struct batch batch = fill_events(rig, &event, 1);

	assert_int_equal(batch.n_identities, 3);
	assert_true(names(&batch, "4c1f0e1b7f5a"));
	assert_true(names(&batch, "quiet.service"));
	assert_true(names(&batch, "system (other)"));
	announcer_sent(&rig->maker.announcer, &batch);
	assert_int_equal(fill_events(rig, &event, 1).n_identities, 0);
	batch = fill(rig, 10, false);
	assert_int_equal(batch.n_identities, 1);
	assert_true(names(&batch, "busy.service"));
}

static void the_dead_are_named_only_when_they_did_something(void **state)
{
	struct rig *rig = *state;
	struct batch batch;

	make_dir("/docker/" OTHER_ID);
	assert_int_equal(cgroup_table_refresh(rig->cgroups), 0);
	remove_dir("/docker/" OTHER_ID);
	assert_int_equal(cgroup_table_refresh(rig->cgroups), 0);
	assert_false(names_id(fill(rig, 10, false), OTHER_ID));
	rig->rows[1].container_id = container_id_of(true, OTHER_ID);
	batch = fill(rig, 20, false);
	assert_true(names_id(batch, OTHER_ID));
	assert_true(names_id(batch, ID));
}

/* More than a batch holds: those whose figures go out are first, the rest follows. */
static void mentioned_names_come_first_and_the_rest_in_the_next_batch(void **state)
{
	struct rig *rig = *state;
	struct batch batch;
	char path[256], id[65];

	for (unsigned int i = 0; i < 1200; i++) {
		snprintf(id, sizeof(id), "%064x", 0xabc000 + i);
		snprintf(path, sizeof(path), "/docker/%s", id);
		make_dir(path);
	}
	assert_int_equal(cgroup_table_refresh(rig->cgroups), 0);
	rig->rows[0].container_id = container_id_of(true, id);
	rig->rows[1].container_id = container_id_of(false, "/busy.service");
	batch = fill(rig, 10, false);
	assert_int_equal(batch.n_identities, 1024);
	assert_true(names_id(batch, id));
	assert_true(names(&batch, "busy.service"));
	batch_maker_sent(&rig->maker, &batch);
	batch = fill(rig, 20, false);
	assert_int_equal(batch.n_identities, 1200 + 2 - 1024);
	for (unsigned int i = 0; i < 1200; i++) {
		snprintf(path, sizeof(path), "/docker/%064x", 0xabc000 + i);
		remove_dir(path);
	}
}

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	make_dir("/docker");
	make_dir("/docker/" ID);
	make_dir("/docker/" ID "/inner");
	make_dir("/busy.service");
	make_dir("/quiet.service");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(containers_are_named_at_once_and_services_when_they_do_something),
		TEST(names_are_told_again_until_they_are_safe_and_then_hourly),
		TEST(fold_row_has_a_name),
		TEST(facts_travel_until_one_batch_is_safe),
		TEST(pairs_go_with_every_window_at_first_and_once_a_minute_later),
		TEST(last_window_takes_the_pairs_along),
		TEST(parties_of_an_event_are_named_with_it_and_nobody_else),
		TEST(the_dead_are_named_only_when_they_did_something),
		TEST(mentioned_names_come_first_and_the_rest_in_the_next_batch),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
