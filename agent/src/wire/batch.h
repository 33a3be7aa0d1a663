#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	const struct window *window;
	const struct batch_identity *identities;
	size_t n_identities;
	const struct pair_merge *blame; /* NULL while pairs are still being merged */
	const struct batch_collector *collectors;
	size_t n_collectors;
	struct batch_cost cost;
	const struct batch_facts *facts; /* NULL: unchanged */
};
