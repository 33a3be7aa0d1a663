#include "agent/live.h"

#include <errno.h>
#include <string.h>

#include "agent/private.h"

int live_init(struct live *self, size_t cap_rows, size_t cap_pairs)
{
	*self = (struct live){0};
	return window_init(&self->window, cap_rows, cap_pairs);
}

void live_free(struct live *self)
{
	window_free(&self->window);
}

bool live_is_on(const struct live *self)
{
	return self->until_ns != 0;
}

bool live_ask(struct live *self, uint32_t seconds, uint64_t now_ns)
{
	const uint64_t length_s = seconds < LIVE_MAX_SECONDS ? seconds : LIVE_MAX_SECONDS;
	const uint64_t until_ns = now_ns + length_s * NS_PER_SECOND;
	const bool was_on = live_is_on(self);

	if (seconds == 0)
		return false;
	if (until_ns > self->until_ns)
		self->until_ns = until_ns;
	if (!was_on) {
		self->started_at_unix_ns = 0;
		self->skipped = 0;
	}
	return !was_on;
}

/* Its own cost beside the windows': neither takes from the other. */
static int read_cost(struct live *self, struct batch_cost *ret_cost)
{
	struct own_cost cost;
	int r = own_cost_read(&cost);

	if (r < 0)
		return r;
	ret_cost->user_ns = cost.user_ns - self->cost_before.user_ns;
	ret_cost->system_ns = cost.system_ns - self->cost_before.system_ns;
	ret_cost->rss_bytes = cost.rss_bytes;
	self->cost_before = cost;
	return 0;
}

static int send_second(struct agent *self)
{
	const struct window_names names = cgroup_window_names(self->cgroups);
	struct live *live = &self->live;
	struct batch batch = {.window = &live->window};
	int r;

	window_diff(&self->snapshots[self->previous], &self->snapshots[self->newest], &names,
		    &live->window);
	live->window.started_at_unix_ns = live->started_at_unix_ns;
	memcpy(batch.boot_id, self->host.boot_id, sizeof(batch.boot_id));
	/* Not marked as sent: nobody promises that this arrives. */
	announcer_fill(&self->maker.announcer, &live->window, &batch);
	r = read_cost(live, &batch.cost);
	return r < 0 ? r : sender_send_live(self->sender, &batch);
}

void live_second(struct agent *self, int64_t boundary_unix_ns)
{
	struct live *live = &self->live;
	struct batch_cost ignored;
	int r = 0;

	if (!live_is_on(live))
		return;
	/* The first one only marks where a whole second begins. */
	if (live->started_at_unix_ns && boundary_unix_ns > live->started_at_unix_ns)
		r = send_second(self);
	else
		(void)read_cost(live, &ignored);
	if (r < 0) {
		live->skipped++;
		log_debug("a live window is left out: %s", strerror(-r));
	}
	live->started_at_unix_ns = boundary_unix_ns;
	if (clock_ns(CLOCK_MONOTONIC) < live->until_ns)
		return;
	live->until_ns = 0;
	window_forget(&live->window);
	log_info("live windows end; %llu were left out", (unsigned long long)live->skipped);
}

void agent_on_live_asked(void *context, uint32_t seconds)
{
	struct agent *self = context;

	if (!self->config->live) {
		log_debug("live windows are switched off (live = false): the backend's wish is "
			  "refused");
		return;
	}
	if (!live_ask(&self->live, seconds, clock_ns(CLOCK_MONOTONIC)))
		return;
	log_info("live windows for %llu s, as the backend asks",
		 (unsigned long long)((self->live.until_ns - clock_ns(CLOCK_MONOTONIC)) /
					      NS_PER_SECOND +
				      1));
	agent_arm_timer(self);
}
