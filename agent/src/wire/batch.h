#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cost/cost_method.h"
#include "window/wait_event.h"
#include "window/window.h"

/* One window with everything that goes with it. Borrowed: nothing in here is owned. */

struct batch_identity {
	uint64_t container_id;
	bool is_container;
	const char *name;
	const char *cgroup_path;
	const char *runtime;
	const char *runtime_id;
	const char *image;
	const char *pod;
	const char *namespace;
	const char *pod_uid;
	char *const *labels; /* key, value, ..., NULL; or NULL */
};

/* Numbers as in the wire's CollectorState. */
struct batch_collector {
	const char *name;
	int state;
	const char *reason;
	uint64_t lost; /* in this window */
	uint64_t map_bytes;
	const struct batch_map *maps;
	size_t n_maps;
};

struct batch_map {
	const char *name;
	uint64_t used, capacity;
	uint64_t failed_inserts; /* in this window */
};

struct batch_program {
	const char *name;
	uint64_t run_count; /* in this window */
	uint64_t run_ns;
};

struct batch_cost {
	uint64_t user_ns; /* in this window */
	uint64_t system_ns;
	uint64_t rss_bytes;
	uint64_t spool_batches;
	uint64_t spool_bytes;
	uint64_t spool_dropped; /* since the stream began */
	uint64_t rejected_batches;
	const struct batch_program *programs;
	size_t n_programs;
	enum cost_method method;
	uint64_t budget_ppm; /* of the host's CPU time; 0 = no limit */
	uint64_t spent_ppm;
	uint32_t governor_level;
	const char *governor_reason; /* "" at level 0 */
};

/* A wait_event with its names found and its instant on the wall clock. */
struct batch_event {
	uint64_t number;
	int64_t ended_at_unix_ns;
	uint64_t container_id;		       /* who waited */
	uint64_t share_ids[WAIT_EVENT_SHARES]; /* container ids of event.shares */
	struct wait_event event;
};

#define BATCH_MAX_EVENTS 256

/* Since the batch before. */
struct batch_event_loss {
	uint64_t ring_full;
	uint64_t queue_full;
	uint64_t rate_limited;
};

struct batch_facts {
	const char *hostname;
	const char *agent_version;
	const char *kernel_release;
	const char *os_name;
	const char *cpu_vendor;
	const char *cpu_model;
	uint32_t cpus_online;
	uint32_t cores;
	uint32_t sockets;
	uint32_t numa_nodes;
	uint32_t l3_domains;
	uint32_t threads_per_core;
	const char *cache_architecture;
	uint64_t memory_bytes;
	const char *hypervisor;
	const char *cgroup_mode;
	const char *instance_type;
	const char *instance_family;
	const char *region;
};

struct batch {
	uint64_t sequence;
	uint8_t boot_id[16];
	const struct window *window; /* NULL: only events */
	int64_t sent_at_unix_ns;     /* of a batch without a window */
	const struct batch_identity *identities;
	size_t n_identities;
	const struct pair_merge *blame; /* NULL while pairs are still being merged */
	const struct batch_collector *collectors;
	size_t n_collectors;
	struct batch_cost cost;
	const struct batch_facts *facts; /* NULL: unchanged */
	const struct batch_event *events;
	size_t n_events;
	struct batch_event_loss event_loss;
};
