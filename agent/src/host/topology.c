#include <errno.h>
#include <hwloc.h>

#include "base/cleanup.h"
#include "host/facts.h"

static void topology_destroyp(hwloc_topology_t *topology)
{
	if (*topology)
		hwloc_topology_destroy(*topology);
}

/* hwloc says -1 for a kind that stands on several levels: then it cannot be counted. */
static uint32_t count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);

	return n > 0 ? (uint32_t)n : 0;
}

int host_topology_read(struct host_facts *facts)
{
	cleanup(topology_destroyp) hwloc_topology_t topology = NULL;
	uint32_t threads;

	if (hwloc_topology_init(&topology) < 0)
		return -ENOMEM;
	/* The host as it is, not the part that the agent's own cpuset allows. */
	if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0 ||
	    hwloc_topology_load(topology) < 0)
		return -EIO;

	threads = count(topology, HWLOC_OBJ_PU);
	facts->sockets = count(topology, HWLOC_OBJ_PACKAGE);
	facts->numa_nodes = count(topology, HWLOC_OBJ_NUMANODE);
	facts->l3_domains = count(topology, HWLOC_OBJ_L3CACHE);
	facts->cores = count(topology, HWLOC_OBJ_CORE);
	facts->threads_per_core = facts->cores ? threads / facts->cores : 0;
	if (facts->l3_domains == 0 || facts->sockets == 0)
		facts->cache_architecture = "unknown";
	else if (facts->l3_domains > facts->sockets)
		facts->cache_architecture = "chiplet";
	else
		facts->cache_architecture = "unified";
	return 0;
}
