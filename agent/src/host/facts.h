#pragma once

#include <stdint.h>

/* What a host is: read once at start. Texts are "" where the host does not say. */
struct host_facts {
	char machine_id[33]; /* 32 hexadecimal digits; a backend knows a host by it */
	uint8_t boot_id[16];
	char hostname[256];
	char kernel_release[65];
	char os_name[128];
	char cpu_vendor[64];
	char cpu_model[128];
	char hypervisor[128]; /* "" on bare metal */
	uint32_t cpus_online;
	uint32_t cores;
	uint32_t sockets;
	uint32_t numa_nodes;
	uint32_t l3_domains; /* 0: no L3 is reported */
	uint32_t threads_per_core;
	const char *cache_architecture; /* unified: one L3 a socket; chiplet: several; unknown */
	uint64_t memory_bytes;
};

int host_facts_read(struct host_facts *ret_facts);

/* topology.c: the counts, by hwloc. */
int host_topology_read(struct host_facts *facts);
