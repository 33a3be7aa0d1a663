#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "agent/account.h"
#include "agent/private.h"
#include "agent/state.h"
#include "base/cleanup.h"
#include "base/resident.h"
#include "config_check.h"

#define CAP_PAIRS 16384 /* what one batch may hold */

/* A snapshot holds all that ever met since they live, active or not: 256 cgroups on two CPUs. */
#define CAP_KNOWN_PAIRS 65536

/* Of cgroups that died since the last read and may have no name: counted, and folded. */
#define CAP_DEAD_ROWS 4096

static void on_notice(void *context, enum sender_notice notice, const char *sentence)
{
	(void)context;
	switch (notice) {
	case SENDER_CONNECTED:
		log_info("%s", sentence);
		resident_trim();
		return;
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
		.on_live_asked = agent_on_live_asked,
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
	const size_t cap_rows = self->config->max_cgroups + CAP_DEAD_ROWS;
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = snapshot_init(&self->snapshots[i], cap_rows, CAP_KNOWN_PAIRS);
	if (r == 0)
		r = window_init(&self->window, cap_rows, CAP_PAIRS);
	if (r == 0)
		r = batch_maker_init(&self->maker, self->config, &self->host, self->cgroups,
				     &self->collectors, cap_rows, CAP_PAIRS);
	if (r == 0)
		r = event_queue_init(&self->events, self->cgroups);
	if (r == 0 && self->sender)
		r = live_init(&self->live, cap_rows, CAP_PAIRS);
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
	if (self->config->is_top) {
		sigaddset(&signals, SIGQUIT);
		sigaddset(&signals, SIGTSTP);
		sigaddset(&signals, SIGWINCH);
	}
	/* A closed pipe or connection is an error of that write, not the end of the agent. */
	signal(SIGPIPE, SIG_IGN);
	r = loop_new(&self->loop);
	if (r == 0)
		r = loop_add_signals(self->loop, &signals,
				     self->config->is_top ? agent_top_on_signal : agent_on_signal,
				     self);
	if (r == 0)
		r = loop_timer_new(self->loop, CLOCK_REALTIME, agent_on_boundary, self,
				   &self->timer);
	if (r == 0)
		r = loop_timer_new(self->loop, CLOCK_MONOTONIC, agent_on_events_due, self,
				   &self->events_timer);
	if (r < 0)
		log_error("cannot set up the event loop: %s", strerror(-r));
	return r;
}

static int open_collectors(struct agent *self)
{
	struct snapshot *unused = &self->snapshots[self->newest];
	int r;

	agent_cost_prepare(&self->cost, self->config);
	r = collector_set_open(&self->collectors, self->config, self->cgroups);
	if (r < 0) {
		if (r == -ENODEV)
			log_error("no collector can run here; nwagent check says what is missing");
		return r;
	}
	r = agent_cost_open(&self->cost, self->loop, &self->collectors, unused);
	if (r < 0) {
		log_error("cannot set up the agent's own cost: %s", strerror(-r));
		return r;
	}
	r = agent_watch_collectors(self);
	if (r < 0)
		log_error("cannot listen to the collectors: %s", strerror(-r));
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
	self->sink = (struct collector_sink){agent_on_wait_event, self};
	r = agent_account_enter(config);
	if (r == 0 && (r = host_facts_read(&self->host)) < 0)
		log_error("cannot read the facts of this host: %s", strerror(-r));
	if (r == 0)
		r = open_loop(self);
	if (r == 0 && !config->to_stdout && !config->is_top)
		r = open_backend(self);
	if (r == 0)
		r = open_cgroups(self);
	if (r == 0)
		r = allocate(self);
	if (r == 0)
		r = open_collectors(self);
	if (r == 0)
		r = agent_account_settle(config);
	if (r < 0) {
		agent_free(self);
		return r;
	}
	*ret = self;
	return 0;
}

void agent_free(struct agent *self)
{
	if (!self)
		return;
	agent_close_collectors(self);
	agent_cost_close(&self->cost);
	sender_free(self->sender);
	outbox_close(self->outbox);
	batch_maker_free(&self->maker);
	window_free(&self->window);
	event_queue_free(&self->events);
	live_free(&self->live);
	for (size_t i = 0; i < 3; i++)
		snapshot_free(&self->snapshots[i]);
	cgroup_table_free(self->cgroups);
	loop_timer_free(self->timer);
	loop_timer_free(self->events_timer);
	loop_free(self->loop);
	close_fdp(&self->lock);
	close_fdp(&self->state_dir);
	free(self);
}
