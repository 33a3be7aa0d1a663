#include "agent/events.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "cgroup/path_identity.h"

#define ID     "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define OFFSET INT64_C(1767225600000000000)
#define MS     UINT64_C(1000000)
#define GONE   UINT64_C(0xdead)

static char root[32];

struct rig {
	struct cgroup_table *cgroups;
	struct event_queue queue;
	struct announcer announcer;
	uint64_t victim_id, service_id; /* of cgroups */
};

static uint64_t make_cgroup(const char *path)
{
	struct stat status;
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	assert_int_equal(mkdir(whole, 0755), 0);
	assert_int_equal(stat(whole, &status), 0);
	return status.st_ino;
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

	snprintf(root, sizeof(root), "/tmp/nwagent-events-XXXXXX");
	if (!rig || !mkdtemp(root))
		return -1;
	snprintf(mode.cpu_root, sizeof(mode.cpu_root), "%s", root);
	rig->victim_id = make_cgroup("/docker-" ID ".scope");
	rig->service_id = make_cgroup("/kubelet.service");
	assert_int_equal(cgroup_table_new(&mode, 64, &rig->cgroups), 0);
	assert_int_equal(cgroup_table_refresh(rig->cgroups), 0);
	assert_int_equal(event_queue_init(&rig->queue, rig->cgroups), 0);
	assert_int_equal(announcer_init(&rig->announcer, rig->cgroups, 16), 0);
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	announcer_free(&rig->announcer);
	event_queue_free(&rig->queue);
	cgroup_table_free(rig->cgroups);
	free(rig);
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct wait_event long_wait(const struct rig *rig)
{
	return (struct wait_event){
		.kind = WAIT_EVENT_NOISY_NEIGHBOR,
		.ended_at_ns = 5 * MS,
		.duration_ns = 131 * MS,
		.cgroup_id = rig->victim_id,
		.shares = {{WAIT_SHARE_CGROUP, rig->service_id, 100 * MS},
			   {WAIT_SHARE_CGROUP, GONE, 30 * MS},
			   {WAIT_SHARE_IDLE, 0, MS}},
		.n_shares = 3,
	};
}

static void names_are_found_when_it_is_heard(void **state)
{
	struct rig *rig = *state;
	const struct wait_event event = long_wait(rig);
	const struct batch_event *got;
	size_t n;

	event_queue_add(&rig->queue, &event, OFFSET);
	got = event_queue_peek(&rig->queue, &n);
	assert_int_equal(n, 1);
	assert_int_equal(got->number, 1);
	assert_int_equal(got->ended_at_unix_ns, OFFSET + 5000000);
	assert_int_equal(got->container_id, container_id_of(true, ID));
	assert_int_equal(got->share_ids[0], container_id_of(false, "/kubelet.service"));
	assert_int_equal(got->share_ids[1], container_id_of(false, FOLD_PATH));
	assert_int_equal(got->share_ids[2], 0);
	assert_int_equal(got->event.duration_ns, 131 * MS);
}

static void first_goes_at_once_and_the_next_a_second_later(void **state)
{
	struct rig *rig = *state;
	const struct wait_event event = long_wait(rig);

	assert_int_equal(event_queue_due_ns(&rig->queue), 0);
	event_queue_add(&rig->queue, &event, OFFSET);
	assert_int_equal(event_queue_due_ns(&rig->queue), 1);
	event_queue_remove(&rig->queue, 1, 700 * MS);
	assert_int_equal(event_queue_due_ns(&rig->queue), 0);
	event_queue_add(&rig->queue, &event, OFFSET);
	assert_int_equal(event_queue_due_ns(&rig->queue), 1700 * MS);
}

static void oldest_goes_when_it_is_full_and_is_counted(void **state)
{
	struct rig *rig = *state;
	const struct wait_event event = long_wait(rig);
	struct collector_set set = {.n_running = 1};
	struct batch_event_loss loss;
	uint64_t number = 10;
	size_t n;

	for (unsigned int i = 0; i < EVENTS_MAX + 10; i++)
		event_queue_add(&rig->queue, &event, OFFSET);
	set.running[0].report.ring_lost = 3;
	set.running[0].report.rate_limited = 7;
	loss = event_queue_loss(&rig->queue, &set);
	assert_int_equal(loss.queue_full, 10);
	assert_int_equal(loss.ring_full, 3);
	assert_int_equal(loss.rate_limited, 7);
	event_queue_loss_told(&rig->queue, &loss);
	set.running[0].report.ring_lost = 4;
	loss = event_queue_loss(&rig->queue, &set);
	assert_int_equal(loss.queue_full, 0);
	assert_int_equal(loss.ring_full, 1);
	assert_int_equal(loss.rate_limited, 0);
	/* In order, none twice, over the end of the ring. */
	while (rig->queue.n) {
		const struct batch_event *got = event_queue_peek(&rig->queue, &n);

		assert_in_range(n, 1, BATCH_MAX_EVENTS);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(got[i].number, ++number);
		event_queue_remove(&rig->queue, n, MS);
	}
	assert_int_equal(number, EVENTS_MAX + 10);
}

static void who_is_in_an_event_is_announced_with_it_once(void **state)
{
	struct rig *rig = *state;
	const struct wait_event event = long_wait(rig);
	struct batch batch = {0};
	const struct batch_event *got;
	size_t n;

	event_queue_add(&rig->queue, &event, OFFSET);
	got = event_queue_peek(&rig->queue, &n);
	announcer_fill_events(&rig->announcer, got, n, &batch);
	assert_int_equal(batch.n_identities, 3); /* and the fold row; not the root */
	announcer_sent(&rig->announcer, &batch);
	announcer_fill_events(&rig->announcer, got, n, &batch);
	assert_int_equal(batch.n_identities, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(names_are_found_when_it_is_heard),
		TEST(first_goes_at_once_and_the_next_a_second_later),
		TEST(oldest_goes_when_it_is_full_and_is_counted),
		TEST(who_is_in_an_event_is_announced_with_it_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
