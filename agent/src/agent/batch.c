#include "agent/batch.h"

#include <string.h>

#include "base/loop.h"

#define NS_PER_SECOND 1000000000ULL

/* A new agent shows its first pairs at once; later they cost one row a minute each. */
#define EVERY_WINDOW_FOR_NS (120 * NS_PER_SECOND)
#define MERGED_WINDOWS	    6
#define ANNOUNCE_EVERY_NS   (3600 * NS_PER_SECOND)

static struct batch_facts facts_of(const struct config *config, const struct host_facts *host,
				   const struct cgroup_mode *mode)
{
	return (struct batch_facts){
		.hostname = host->hostname,
		.agent_version = NW_VERSION,
		.kernel_release = host->kernel_release,
		.os_name = host->os_name,
		.cpu_vendor = host->cpu_vendor,
		.cpu_model = host->cpu_model,
		.cpus_online = host->cpus_online,
		.cores = host->cores,
		.sockets = host->sockets,
		.numa_nodes = host->numa_nodes,
		.l3_domains = host->l3_domains,
		.threads_per_core = host->threads_per_core,
		.cache_architecture = host->cache_architecture,
		.memory_bytes = host->memory_bytes,
		.hypervisor = host->hypervisor,
		.cgroup_mode = cgroup_version_name(mode->version),
		.instance_type = config->instance_type,
		.instance_family = config->instance_family,
		.region = config->region,
	};
}

int batch_maker_init(struct batch_maker *self, const struct config *config,
		     const struct host_facts *host, struct cgroup_table *cgroups,
		     struct collector_set *set, size_t cap_rows, size_t cap_pairs)
{
	int r;

	*self = (struct batch_maker){
		.collectors = set,
		.started_ns = clock_ns(CLOCK_MONOTONIC),
		.facts = facts_of(config, host, cgroup_table_mode(cgroups)),
	};
	self->announced_ns = self->started_ns;
	memcpy(self->boot_id, host->boot_id, sizeof(self->boot_id));
	r = own_cost_read(&self->cost_before);
	if (r == 0)
		r = announcer_init(&self->announcer, cgroups, cap_rows);
	if (r == 0)
		r = pair_merge_init(&self->merge, cap_pairs);
	return r;
}

int batch_maker_begin(struct batch_maker *self)
{
	return own_cost_read(&self->cost_before);
}

void batch_maker_free(struct batch_maker *self)
{
	announcer_free(&self->announcer);
	pair_merge_free(&self->merge);
}

static const struct pair_merge *blame_due(struct batch_maker *self, uint64_t now_ns, bool is_last)
{
	const bool is_due = is_last || now_ns - self->started_ns <= EVERY_WINDOW_FOR_NS ||
			    self->merge.n_windows >= MERGED_WINDOWS;

	return is_due ? &self->merge : NULL;
}

int batch_maker_fill(struct batch_maker *self, const struct window *window, uint64_t now_ns,
		     bool is_last, struct batch *ret_batch)
{
	struct batch batch = {.window = window};
	struct own_cost cost;
	int r;

	r = own_cost_read(&cost);
	if (r < 0)
		return r;
	if (now_ns - self->announced_ns >= ANNOUNCE_EVERY_NS) {
		announcer_resend_all(&self->announcer);
		self->announced_ns = now_ns;
	}

	memcpy(batch.boot_id, self->boot_id, sizeof(batch.boot_id));
	batch.cost.user_ns = cost.user_ns - self->cost_before.user_ns;
	batch.cost.system_ns = cost.system_ns - self->cost_before.system_ns;
	batch.cost.rss_bytes = cost.rss_bytes;
	self->cost_before = cost;
	collector_set_report(self->collectors, &batch);
	announcer_fill(&self->announcer, window, &batch);
	pair_merge_add(&self->merge, window);
	batch.blame = blame_due(self, now_ns, is_last);
	batch.facts = self->are_facts_sent ? NULL : &self->facts;
	*ret_batch = batch;
	return 0;
}

void batch_maker_sent(struct batch_maker *self, const struct batch *batch)
{
	announcer_sent(&self->announcer, batch);
	if (batch->blame)
		pair_merge_reset(&self->merge);
	if (batch->facts)
		self->are_facts_sent = true;
}
