#include "top/render.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"

#define MS	 UINT64_C(1000000)
#define MAX_ROWS 16

#define FRAME_FILE "tests/fixtures/top/frame.txt"

/* ms within a window of 10 s, so that 10 ms are 0.001 CPU-s per s. */
static const struct story {
	uint64_t id;
	const char *name;
	bool is_container;
	uint64_t ran, neighbor, system, throttled, self, idle, unattributed;
	uint64_t p99_ms;
} story[] = {
	{1, "checkout-api-x2kfm", true, 7000, 3100, 100, 0, 300, 50, 50, 110},
	{2, "cart-service-9qk2c", true, 9000, 0, 100, 2600, 100, 0, 0, 90},
	{3, "search-index-4fd9p", true, 96000, 900, 200, 0, 500, 0, 0, 2},
	{4, "transcode-live-3", true, 41600, 0, 100, 0, 5000, 0, 0, 1},
	{5, "batch-encode-0", true, 102400, 20, 300, 0, 3500, 0, 0, 2},
	{6, "who-knows", true, 1000, 0, 0, 0, 0, 0, 900, 30},
	{7, "evil\x1b[2J\u202e\xff", true, 500, 400, 0, 0, 0, 0, 0, 40},
	{8, "kubelet.service", false, 9000, 0, 0, 0, 10, 0, 0, 1},
	{9, "sshd.service", false, 100, 300, 0, 0, 0, 0, 0, 1},
};

struct rig {
	struct window window;
	struct window_row rows[MAX_ROWS];
	struct window_pair pairs[MAX_ROWS];
	struct top_model model;
	const struct top_row *scratch[MAX_ROWS];
	struct top_view view;
	struct paint paint;
	struct top_event events[2];
	struct top_frame frame;
};

static bool find(const void *context, uint64_t id, char ret_name[TOP_NAME_BYTES])
{
	(void)context;
	for (size_t i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
		if (story[i].id == id) {
			snprintf(ret_name, TOP_NAME_BYTES, "%s", story[i].name);
			return true;
		}
	}
	return false;
}

static void tell(struct rig *rig)
{
	for (size_t i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
		const struct story *from = &story[i];
		struct window_row *row = &rig->rows[rig->window.n_rows++];

		row->container_id = from->id;
		row->is_container = from->is_container;
		row->has = CGROUP_HAS_SCHED;
		row->sched.ran_ns = from->ran * MS;
		row->sched.wait_ns = (from->neighbor + from->system + from->throttled + from->self +
				      from->idle + from->unattributed) *
				     MS;
		row->neighbor_wait_ns = from->neighbor * MS;
		row->system_wait_ns = from->system * MS;
		row->self_wait_ns = from->self * MS;
		row->sched.throttled_own_wait_ns = from->throttled * MS / 2;
		row->sched.throttled_ancestor_wait_ns = from->throttled * MS / 2;
		row->sched.idle_gap_wait_ns = from->idle * MS;
		row->sched.unattributed_wait_ns = from->unattributed * MS;
		row->sched.runq[hist_bucket(from->p99_ms * MS)] = 100;
	}
}

static void add_pair(struct rig *rig, uint64_t victim_id, uint64_t aggressor_id, uint64_t ms)
{
	rig->pairs[rig->window.n_pairs++] =
		(struct window_pair){victim_id, aggressor_id, 1, ms * MS};
}

static int set_up(void **state)
{
	static const struct top_names names = {find, NULL};
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig || top_model_init(&rig->model, MAX_ROWS) < 0)
		return -1;
	rig->window.rows = rig->rows;
	rig->window.pairs = rig->pairs;
	rig->window.duration_ns = 10000 * MS;
	rig->window.host.cpus_online = 32;
	tell(rig);
	add_pair(rig, 1, 5, 3000);
	add_pair(rig, 1, 3, 100);
	add_pair(rig, 1, 8, 100);
	add_pair(rig, 1, 1, 300);
	add_pair(rig, 2, 8, 100);
	add_pair(rig, 3, 5, 900);
	add_pair(rig, 3, 8, 200);
	add_pair(rig, 7, 5, 400);
	add_pair(rig, 9, 5, 300);
	add_pair(rig, 5, 8, 300);
	add_pair(rig, 5, 3, 20);
	top_model_fill(&rig->model, &rig->window, &names);
	rig->paint = (struct paint){.columns = 118, .lines = SIZE_MAX};
	rig->events[0] = (struct top_event){
		.clock = "10:41:12",
		.kind = WAIT_EVENT_NOISY_NEIGHBOR,
		.victim = "checkout-api-x2kfm",
		.duration_ns = 131 * MS,
		.cpu = 37,
		.shares = {{"batch-encode-0", 128700000}, {"kubelet.service", 2300000}},
		.n_shares = 2,
	};
	rig->events[1] = (struct top_event){
		.clock = "10:41:13",
		.kind = WAIT_EVENT_THROTTLING,
		.victim = "cart-service-9qk2c",
		.duration_ns = 80 * MS,
		.cpu = 3,
		.quota_level = QUOTA_LEVEL_OWN,
	};
	rig->frame = (struct top_frame){
		.model = &rig->model,
		.view = &rig->view,
		.hostname = "i-0a1b4c7d2e",
		.instance_type = "m6a.8xlarge",
		.kernel_release = "6.8.0",
		.cpus = 32,
		.clock = "10:41:13",
		.agent_cpu = 0.0021,
		.governor_reason = "",
		.trouble = "",
		.events = rig->events,
		.n_events = 2,
		.scratch = rig->scratch,
	};
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	top_model_free(&rig->model);
	paint_free(&rig->paint);
	free(rig);
	return 0;
}

static const char *render(struct rig *rig)
{
	static char text[65536];

	top_render(&rig->frame, &rig->paint);
	assert_false(rig->paint.is_out_of_memory);
	assert_in_range(rig->paint.n_bytes, 1, sizeof(text) - 1);
	snprintf(text, sizeof(text), "%.*s", (int)rig->paint.n_bytes, rig->paint.bytes);
	return text;
}

static void parts_and_words_of_a_row(void **state)
{
	struct rig *rig = *state;
	const struct top_row *row = top_model_find(&rig->model, 1);

	assert_true(row->demand > 1.0599 && row->demand < 1.0601);
	assert_int_equal(row->mainly, TOP_NEIGHBOR);
	assert_int_equal(row->worst_aggressor_id, 5); /* not itself */
	assert_int_equal(top_model_find(&rig->model, 2)->mainly, TOP_THROTTLED);
	assert_int_equal(top_model_find(&rig->model, 3)->mainly, TOP_CLEAR); /* 0.9 % */
	assert_int_equal(top_model_find(&rig->model, 4)->mainly, TOP_SELF);
	assert_int_equal(top_model_find(&rig->model, 6)->mainly, TOP_UNKNOWN);
	/* Stolen from containers only; the service's wait is not in it. */
	assert_true(top_model_find(&rig->model, 5)->stole > 0.4299 &&
		    top_model_find(&rig->model, 5)->stole < 0.4301);
	assert_int_equal(top_model_find(&rig->model, 5)->worst_victim_id, 1);
}

/* To see a wanted change: write render(rig) to the file and look at it. */
static void frame_as_people_see_it(void **state)
{
	struct rig *rig = *state;
	cleanup(freep) char *expected = NULL;
	size_t length;

	assert_int_equal(file_read(AT_FDCWD, FRAME_FILE, 65536, &expected, &length), 0);
	assert_string_equal(render(rig), expected);
}

/* Width of every line, escape sequences taken out; fails on any other control character. */
static void check_widths(const char *text, size_t columns)
{
	while (*text) {
		char line[4096];
		size_t n = 0;

		for (; *text && *text != '\n'; text++) {
			if (*text == '\x1b') {
				assert_int_equal(text[1], '[');
				text += 2 + strspn(text + 2, "0123456789;");
				assert_non_null(strchr("mHJK", *text));
				continue;
			}
			assert_true((unsigned char)*text >= ' ' && *text != 0x7f);
			line[n++] = *text;
		}
		line[n] = '\0';
		assert_true(cells_width(line, false) <= columns);
		text += *text == '\n';
	}
}

static void no_size_breaks_a_line_or_overflows_the_screen(void **state)
{
	struct rig *rig = *state;

	rig->paint.is_screen = true;
	rig->paint.palette.depth = COLOR_TRUE;
	for (size_t columns = 1; columns <= 200; columns += 3) {
		for (size_t lines = 1; lines <= 40; lines += 3) {
			const char *text;
			size_t n = 0;

			rig->paint.columns = columns;
			rig->paint.lines = lines;
			rig->view.focus = columns % N_TOP_FOCUSES;
			rig->view.is_help = lines % 5 == 0;
			text = render(rig);
			check_widths(text, columns);
			for (const char *c = text; *c; c++)
				n += *c == '\n';
			assert_true(n < lines);
		}
	}
}

static const char *head_at(struct rig *rig, size_t columns)
{
	static char head[512];
	const char *text;

	rig->paint.columns = columns;
	text = strstr(render(rig), " WAITS");
	assert_non_null(text);
	snprintf(head, sizeof(head), "%.*s", (int)strcspn(text, "\n"), text);
	return head;
}

static void narrow_terminals_lose_the_least_important_columns(void **state)
{
	struct rig *rig = *state;

	assert_non_null(strstr(head_at(rig, 140), "IDLE"));
	assert_null(strstr(head_at(rig, 118), "IDLE"));
	assert_non_null(strstr(head_at(rig, 118), "RAN  NEIGHB"));
	assert_null(strstr(head_at(rig, 100), "  RAN  NEIGHB"));
	assert_non_null(strstr(head_at(rig, 80), "NEIGHB"));
	assert_non_null(strstr(head_at(rig, 80), "THROTT"));
	assert_non_null(strstr(head_at(rig, 80), "RAN MEANWHILE"));
	assert_non_null(strstr(head_at(rig, 40), "NEIGHB"));
}

static void filter_and_order_are_those_asked_for(void **state)
{
	struct rig *rig = *state;
	const struct top_row *rows[MAX_ROWS];

	assert_int_equal(top_model_victims(&rig->model, TOP_SORT_HARM, "", rows), 8);
	assert_int_equal(rows[0]->container_id, 1);
	assert_int_equal(rows[1]->container_id, 2);
	assert_int_equal(rows[7]->container_id, 9); /* services come last */
	top_model_victims(&rig->model, TOP_SORT_SELF, "", rows);
	assert_int_equal(rows[0]->container_id, 4);
	top_model_victims(&rig->model, TOP_SORT_NAME, "", rows);
	assert_int_equal(rows[0]->container_id, 5);
	assert_int_equal(top_model_victims(&rig->model, TOP_SORT_HARM, "SEARCH", rows), 1);
	assert_int_equal(rows[0]->container_id, 3);
	assert_int_equal(top_model_aggressors(&rig->model, "", rows), 3);
	assert_int_equal(rows[0]->container_id, 5);
	assert_int_equal(rows[2]->container_id, 8);
}

static void empty_window_says_so(void **state)
{
	struct rig *rig = *state;
	const struct top_names nobody = {find, NULL};

	rig->window.n_rows = 0;
	rig->window.n_pairs = 0;
	top_model_fill(&rig->model, &rig->window, &nobody);
	assert_non_null(strstr(render(rig), "no container ran or waited"));
	rig->window.duration_ns = 0;
	top_model_fill(&rig->model, &rig->window, &nobody);
	assert_non_null(strstr(render(rig), "measuring"));
}

static void trouble_and_governor_are_told(void **state)
{
	struct rig *rig = *state;

	rig->frame.trouble = "collector sched is degraded: no migrations";
	rig->frame.governor_level = 2;
	rig->frame.governor_reason = "off: event exemplars, blame of short waits";
	rig->view.is_paused = true;
	render(rig);
	assert_non_null(strstr(render(rig), "collector sched is degraded"));
	assert_non_null(strstr(render(rig), "governor level 2: off: event exemplars"));
	assert_non_null(strstr(render(rig), "paused"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(parts_and_words_of_a_row),
		TEST(frame_as_people_see_it),
		TEST(no_size_breaks_a_line_or_overflows_the_screen),
		TEST(narrow_terminals_lose_the_least_important_columns),
		TEST(filter_and_order_are_those_asked_for),
		TEST(empty_window_says_so),
		TEST(trouble_and_governor_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
