#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "agent/private.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/encode.h"

#define START_NS INT64_C(1767225600000000000)

/* As much of an agent as it takes to bring events and windows into a spool; nobody listens. */
static char root[64];
static const uint8_t boot_id[16] = {1};

static void on_notice(void *context, enum sender_notice notice, const char *sentence)
{
	(void)context;
	(void)notice;
	(void)sentence;
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
	static const struct config config = {.state_dir = root};
	struct sender_options options = {
		.server = "http://127.0.0.1:1",
		.agent_version = "0",
		.user_agent = "nwagent/test",
		.is_local = true,
		.machine_id = "",
		.hostname = "",
	};
	struct cgroup_mode mode = {.version = CGROUP_V2};
	struct agent *agent = calloc(1, sizeof(*agent));

	snprintf(root, sizeof(root), "/tmp/nwagent-output-XXXXXX");
	if (!agent || !mkdtemp(root))
		return -1;
	agent->config = &config;
	agent->lock = -1;
	memcpy(agent->host.boot_id, boot_id, sizeof(boot_id));
	snprintf(mode.cpu_root, sizeof(mode.cpu_root), "%s", root);
	agent->state_dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	options.state_dir = agent->state_dir;
	if (cgroup_table_new(&mode, 64, &agent->cgroups) < 0 || loop_new(&agent->loop) < 0 ||
	    loop_timer_new(agent->loop, CLOCK_MONOTONIC, agent_on_events_due, agent,
			   &agent->events_timer) < 0 ||
	    event_queue_init(&agent->events, agent->cgroups) < 0 ||
	    announcer_init(&agent->maker.announcer, agent->cgroups, 16) < 0 ||
	    outbox_open(agent->state_dir, 64u << 20, boot_id, &agent->outbox) < 0 ||
	    sender_new(agent->loop, agent->outbox, &options, on_notice, agent, &agent->sender) < 0)
		return -1;
	*state = agent;
	return 0;
}

static int tear_down(void **state)
{
	agent_free(*state);
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void hear(struct agent *agent, unsigned int n)
{
	const struct wait_event event = {
		.kind = WAIT_EVENT_NOISY_NEIGHBOR,
		.ended_at_ns = clock_ns(CLOCK_MONOTONIC),
		.duration_ns = WAIT_EVENT_NEIGHBOR_NS,
	};

	for (unsigned int i = 0; i < n; i++)
		agent_on_wait_event(agent, &event);
}

static Neighborwatch__V1__IngestRequest *spooled(const struct agent *agent)
{
	Neighborwatch__V1__IngestRequest *request;
	struct outbox_request peeked;

	assert_int_equal(outbox_peek(agent->outbox, 64, 1u << 20, &peeked), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, peeked.length,
							    peeked.buffer + REQUEST_HEAD_MAX_BYTES);
	assert_non_null(request);
	free(peeked.buffer);
	return request;
}

static void forget(Neighborwatch__V1__IngestRequest *request)
{
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static int emit_window(struct agent *agent)
{
	const struct window window = {.started_at_unix_ns = START_NS, .duration_ns = 10000000000};
	struct batch batch = {.window = &window, .boot_id = {1}};

	return agent_emit(agent, &batch);
}

static void events_and_windows_share_one_sequence(void **state)
{
	struct agent *agent = *state;
	Neighborwatch__V1__IngestRequest *request;
	uint64_t number = 0;

	assert_int_equal(emit_window(agent), 0);
	hear(agent, 600);
	agent_on_events_due(agent, 0);
	assert_int_equal(agent->events.n, 0);
	request = spooled(agent);
	assert_int_equal(request->n_batches, 4);
	for (size_t i = 0; i < 4; i++) {
		const Neighborwatch__V1__Batch *batch = request->batches[i];

		assert_int_equal(batch->sequence, i + 1);
		assert_memory_equal(batch->boot_id.data, boot_id, 16);
		assert_true(batch->n_events <= BATCH_MAX_EVENTS);
		assert_true((batch->duration_ns == 0) == (i > 0));
		assert_true((batch->host == NULL) == (i > 0));
		for (size_t e = 0; e < batch->n_events; e++)
			assert_int_equal(batch->events[e]->number, ++number);
	}
	assert_int_equal(number, 600);
	assert_int_equal(outbox_last_started_at(agent->outbox), START_NS);
	forget(request);
}

static void first_goes_at_once_and_what_follows_after_a_second(void **state)
{
	struct agent *agent = *state;
	const uint64_t started_ns = clock_ns(CLOCK_MONOTONIC);

	hear(agent, 1);
	agent_on_events_due(agent, 0);
	assert_int_equal(outbox_stats(agent->outbox).batches, 1);
	hear(agent, 2);
	agent_on_events_due(agent, 0);
	hear(agent, 3);
	agent_on_events_due(agent, 0);
	assert_int_equal(outbox_stats(agent->outbox).batches, 1);
	while (outbox_stats(agent->outbox).batches == 1)
		assert_int_equal(loop_run(agent->loop, clock_ns(CLOCK_MONOTONIC) + 10000000), 0);
	assert_true(clock_ns(CLOCK_MONOTONIC) - started_ns >= EVENTS_EVERY_NS);
	assert_int_equal(outbox_stats(agent->outbox).batches, 2);
	assert_int_equal(agent->events.n, 0);
}

static void what_was_lost_is_told_once(void **state)
{
	struct agent *agent = *state;
	Neighborwatch__V1__IngestRequest *request;

	hear(agent, EVENTS_MAX + 5);
	agent_on_events_due(agent, 0);
	assert_int_equal(emit_window(agent), 0);
	request = spooled(agent);
	assert_non_null(request->batches[0]->event_loss);
	assert_int_equal(request->batches[0]->event_loss->queue_full, 5);
	for (size_t i = 1; i < request->n_batches; i++)
		assert_null(request->batches[i]->event_loss);
	forget(request);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(events_and_windows_share_one_sequence),
		TEST(first_goes_at_once_and_what_follows_after_a_second),
		TEST(what_was_lost_is_told_once),
	};

	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
