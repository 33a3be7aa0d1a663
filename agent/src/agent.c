#include "agent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "agent_batch.h"
#include "agent_state.h"
#include "base/cleanup.h"
#include "cgroup/identity.h"
#include "config_check.h"
#include "wire/json_lines.h"
#include "wire/send.h"

#define NS_PER_SECOND 1000000000ULL
#define CAP_PAIRS     16384 /* what one batch may hold */

/* A host that slept, or a clock that jumped: not a window any more, and the backend refuses it. */
#define LONGEST_WINDOW_NS (60 * NS_PER_SECOND)

/* Windows may not start twice at the same instant, unless the clock was far off before. */
#define CLOCK_SET_BACK_NS \
	((int64_t)(300 * NS_PER_SECOND)) /* the backend takes no more from the future */

#define LAST_ATTEMPT_NS (2 * NS_PER_SECOND)

struct agent {
	const struct config *config; /* the caller's */
	struct loop *loop;
	struct loop_timer *timer;
	struct host_facts host;
	struct identity_sources sources;
	struct cgroup_table *cgroups;
	struct collector_set collectors;
	struct snapshot snapshots[2];
	unsigned int newest; /* of the two */
	struct window window;
	int64_t window_started_at_unix_ns;
	struct batch_maker maker;
	int state_dir, lock;
	struct outbox *outbox; /* NULL: to standard output */
	struct sender *sender;
	uint64_t dropped_before;
	bool is_refresh_failing, is_output_closed;
};

static int64_t boundary_before(int64_t unix_ns, uint64_t window_ns)
{
	return unix_ns - unix_ns % (int64_t)window_ns;
}

static int64_t wall_clock_ns(void)
{
	return (int64_t)clock_ns(CLOCK_REALTIME);
}

static void on_notice(void *context, enum sender_notice notice, const char *sentence)
{
	(void)context;
	switch (notice) {
	case SENDER_CONNECTED:
	case SENDER_ENROLLED:
		log_info("%s", sentence);
		return;
	case SENDER_TROUBLE:
	case SENDER_DATA_LOST:
		log_warning("%s", sentence);
		return;
	case SENDER_REFUSED:
		log_error("%s", sentence);
		return;
	}
}

static void take_snapshot(struct agent *self)
{
	int r = cgroup_table_refresh(self->cgroups);

	if (r < 0 && !self->is_refresh_failing)
		log_warning("cannot walk %s: %s; new cgroups stay without a name",
			    cgroup_table_mode(self->cgroups)->cpu_root, strerror(-r));
	self->is_refresh_failing = r < 0;

	self->newest ^= 1;
	snapshot_reset(&self->snapshots[self->newest], clock_ns(CLOCK_MONOTONIC));
	collector_set_read(&self->collectors, &self->snapshots[self->newest]);
	snapshot_seal(&self->snapshots[self->newest]);
}

static bool find_identity(const void *context, uint64_t container_id, struct batch_identity *ret)
{
	return announcer_lookup(context, container_id, ret);
}

static int print_batch(struct agent *self, const struct batch *batch)
{
	const struct json_names names = {find_identity, self->cgroups};
	int r;

	r = json_line_write(stdout, batch, &names);
	if (r < 0) {
		if (r != -EPIPE)
			log_error("cannot write to standard output: %s", strerror(-r));
		self->is_output_closed = true;
		loop_stop(self->loop);
		return r;
	}
	return 0;
}

static void log_drops(struct agent *self)
{
	const struct outbox_stats stats = outbox_stats(self->outbox);

	if (stats.dropped > self->dropped_before)
		log_warning("spool: %llu windows were dropped in all (%llu now); it holds %llu "
			    "bytes of at most %llu (--spool-max-bytes)",
			    (unsigned long long)stats.dropped,
			    (unsigned long long)(stats.dropped - self->dropped_before),
			    (unsigned long long)stats.bytes,
			    (unsigned long long)self->config->spool_max_bytes);
	self->dropped_before = stats.dropped;
}

static int spool_batch(struct agent *self, struct batch *batch)
{
	const struct outbox_stats stats = outbox_stats(self->outbox);
	cleanup(freep) uint8_t *bytes = NULL;
	size_t length;
	int r;

	batch->sequence = outbox_next_sequence(self->outbox);
	batch->cost.spool_batches = stats.batches;
	batch->cost.spool_bytes = stats.bytes;
	batch->cost.spool_dropped = stats.dropped;
	batch->cost.rejected_batches = stats.rejected;
	r = batch_encode(batch, &bytes, &length);
	if (r < 0) {
		outbox_count_dropped(self->outbox);
		log_error("cannot encode a window: %s; it is lost", strerror(-r));
		return r;
	}
	r = outbox_append(self->outbox, batch->window->started_at_unix_ns, bytes, length);
	if (r < 0)
		log_error("cannot write to the spool in %s: %s", self->config->state_dir,
			  strerror(-r));
	log_drops(self);
	if (r == 0)
		sender_wake(self->sender);
	return r;
}

/* After a restart within the same ten seconds, or when the clock was set back. */
static bool is_start_used_up(const struct agent *self)
{
	const int64_t last = self->outbox ? outbox_last_started_at(self->outbox) : 0;
	const int64_t behind_ns = last - self->window_started_at_unix_ns;

	return behind_ns >= 0 && behind_ns < CLOCK_SET_BACK_NS;
}

static void emit_window(struct agent *self, bool is_last)
{
	const struct window_names names = cgroup_window_names(self->cgroups);
	const struct snapshot *new = &self->snapshots[self->newest];
	struct batch batch;
	int r;

	window_diff(&self->snapshots[self->newest ^ 1], new, &names, &self->window);
	self->window.started_at_unix_ns = self->window_started_at_unix_ns;
	if (is_start_used_up(self)) {
		log_info("a window from this start was sent before: its rest is left out");
		return;
	}
	if (self->window.duration_ns > LONGEST_WINDOW_NS) {
		log_warning("nothing was read for %llu s: this window is left out",
			    (unsigned long long)(self->window.duration_ns / NS_PER_SECOND));
		return;
	}
	r = batch_maker_fill(&self->maker, &self->window, new->taken_at_ns, is_last, &batch);
	if (r < 0) {
		log_error("cannot read the agent's own cost: %s", strerror(-r));
		return;
	}
	r = self->outbox ? spool_batch(self, &batch) : print_batch(self, &batch);
	if (r == 0)
		batch_maker_sent(&self->maker, &batch);
}

static void arm_timer(struct agent *self)
{
	const uint64_t window_ns = self->config->window_ns;
	const int64_t next = boundary_before(wall_clock_ns(), window_ns) + (int64_t)window_ns;
	int r = loop_timer_set(self->timer, (uint64_t)next);

	if (r < 0) {
		log_error("cannot set the window timer: %s", strerror(-r));
		loop_stop(self->loop);
	}
}

static void on_boundary(void *context, uint32_t events)
{
	struct agent *self = context;
	const int64_t started_at = boundary_before(wall_clock_ns(), self->config->window_ns);

	(void)events;
	/* The clock was set, but not out of this window. */
	if (started_at != self->window_started_at_unix_ns) {
		take_snapshot(self);
		emit_window(self, false);
		self->window_started_at_unix_ns = started_at;
	}
	if (!self->is_output_closed)
		arm_timer(self);
}

static void on_signal(void *context, uint32_t number)
{
	struct agent *self = context;

	log_info("stopping on %s", strsignal((int)number));
	loop_stop(self->loop);
}

static void on_sender_done(void *context, uint32_t events)
{
	const struct agent *self = context;

	(void)events;
	loop_stop(self->loop);
}

static int open_backend(struct agent *self)
{
	const struct config *config = self->config;
	struct sender_options options = {
		.server = config->server,
		.ca_file = config->ca_file,
		.enroll_token = config->enroll_token,
		.enroll_token_file = config->enroll_token_file,
		.agent_version = NW_VERSION,
		.user_agent = "nwagent/" NW_VERSION,
		.is_local = config_is_local(config->server),
		.machine_id = self->host.machine_id,
		.hostname = self->host.hostname,
	};
	int r;

	if (!self->host.machine_id[0]) {
		log_error("no machine id: /etc/machine-id must hold 32 hexadecimal digits; "
			  "systemd-machine-id-setup makes one");
		return -ENOENT;
	}
	r = agent_state_open(config, &self->state_dir, &self->lock);
	if (r < 0)
		return r;
	options.state_dir = self->state_dir;
	r = outbox_open(self->state_dir, config->spool_max_bytes, self->host.boot_id,
			&self->outbox);
	if (r < 0) {
		log_error("cannot open the spool in %s: %s", config->state_dir, strerror(-r));
		return r;
	}
	self->dropped_before = outbox_stats(self->outbox).dropped;
	r = sender_new(self->loop, self->outbox, &options, on_notice, self, &self->sender);
	if (r < 0)
		log_error("cannot prepare sending to %s: %s", config->server, strerror(-r));
	return r;
}

static int open_cgroups(struct agent *self)
{
	struct cgroup_mode mode;
	int r;

	r = cgroup_mode_detect("/proc/self/mountinfo", &mode);
	if (r < 0) {
		log_error("no cgroup hierarchy with the cpu controller is mounted: %s; mount "
			  "cgroup2 at /sys/fs/cgroup",
			  strerror(-r));
		return r;
	}
	r = cgroup_table_new(&mode, self->config->max_cgroups, &self->cgroups);
	if (r < 0) {
		log_error("cannot allocate the cgroup table: %s", strerror(-r));
		return r;
	}
	self->sources = (struct identity_sources){
		.oci_state_dirs = self->config->oci_state_dirs.paths,
		.n_oci_state_dirs = self->config->oci_state_dirs.n_paths,
		.docker_data_roots = self->config->docker_data_roots.paths,
		.n_docker_data_roots = self->config->docker_data_roots.n_paths,
	};
	cgroup_table_set_sources(self->cgroups, &self->sources);
	r = cgroup_table_refresh(self->cgroups);
	if (r < 0)
		log_error("cannot walk %s: %s", mode.cpu_root, strerror(-r));
	else
		log_info("cgroup %s, %zu cgroups below %s", cgroup_version_name(mode.version),
			 cgroup_table_size(self->cgroups), mode.cpu_root);
	return r;
}

static int allocate(struct agent *self)
{
	const size_t cap_rows = self->config->max_cgroups;
	int r = 0;

	for (size_t i = 0; i < 2 && r == 0; i++)
		r = snapshot_init(&self->snapshots[i], cap_rows, CAP_PAIRS);
	if (r == 0)
		r = window_init(&self->window, cap_rows, CAP_PAIRS);
	if (r == 0)
		r = batch_maker_init(&self->maker, self->config, &self->host, self->cgroups,
				     &self->collectors, cap_rows, CAP_PAIRS);
	if (r < 0)
		log_error("cannot allocate for %zu cgroups: %s", cap_rows, strerror(-r));
	return r;
}

static int open_loop(struct agent *self)
{
	sigset_t signals;
	int r;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	/* A closed pipe or connection is an error of that write, not the end of the agent. */
	signal(SIGPIPE, SIG_IGN);
	r = loop_new(&self->loop);
	if (r == 0)
		r = loop_add_signals(self->loop, &signals, on_signal, self);
	if (r == 0)
		r = loop_timer_new(self->loop, CLOCK_REALTIME, on_boundary, self, &self->timer);
	if (r < 0)
		log_error("cannot set up the event loop: %s", strerror(-r));
	return r;
}

int agent_new(const struct config *config, struct agent **ret)
{
	struct agent *self = calloc(1, sizeof(*self));
	int r;

	if (!self) {
		log_error("out of memory");
		return -ENOMEM;
	}
	self->config = config;
	self->state_dir = -1;
	self->lock = -1;
	r = host_facts_read(&self->host);
	if (r < 0)
		log_error("cannot read the facts of this host: %s", strerror(-r));
	if (r == 0)
		r = open_loop(self);
	if (r == 0 && !config->to_stdout)
		r = open_backend(self);
	if (r == 0)
		r = open_cgroups(self);
	if (r == 0)
		r = allocate(self);
	if (r == 0) {
		r = collector_set_open(&self->collectors, config, self->cgroups);
		if (r < 0)
			log_error("no collector can run here; nwagent check says what is missing");
	}
	if (r < 0) {
		agent_free(self);
		return r;
	}
	*ret = self;
	return 0;
}

/* Not part of the loop any more: one quick attempt, and what is left waits on disk. */
static void finish(struct agent *self)
{
	if (self->is_output_closed)
		return;
	take_snapshot(self);
	emit_window(self, true);
	collector_set_close(&self->collectors);
	if (!self->sender)
		return;
	sender_hurry(self->sender, on_sender_done, self);
	loop_run(self->loop, clock_ns(CLOCK_MONOTONIC) + LAST_ATTEMPT_NS);
	log_info("stopped; %llu windows wait in the spool",
		 (unsigned long long)outbox_stats(self->outbox).batches);
}

int agent_run(struct agent *self)
{
	int r;

	take_snapshot(self);
	self->window_started_at_unix_ns = boundary_before(wall_clock_ns(), self->config->window_ns);
	arm_timer(self);
	if (self->sender)
		sender_wake(self->sender);
	r = loop_run(self->loop, 0);
	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	finish(self);
	return r;
}

void agent_free(struct agent *self)
{
	if (!self)
		return;
	collector_set_close(&self->collectors);
	sender_free(self->sender);
	outbox_close(self->outbox);
	batch_maker_free(&self->maker);
	window_free(&self->window);
	snapshot_free(&self->snapshots[0]);
	snapshot_free(&self->snapshots[1]);
	cgroup_table_free(self->cgroups);
	loop_timer_free(self->timer);
	loop_free(self->loop);
	close_fdp(&self->lock);
	close_fdp(&self->state_dir);
	free(self);
}
