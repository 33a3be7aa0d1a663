#include "wire/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/utf8.h"

#define BATCHES_TAG ((4 << 3) | 2) /* field 4 of IngestRequest, length-delimited */

typedef Neighborwatch__V1__Batch pb_batch;
typedef Neighborwatch__V1__CgroupWindow pb_cgroup;
typedef Neighborwatch__V1__SchedWindow pb_sched;
typedef Neighborwatch__V1__CpuStatWindow pb_cpu_stat;
typedef Neighborwatch__V1__QuotaWindow pb_quota;
typedef Neighborwatch__V1__CgroupIdentity pb_identity;
typedef Neighborwatch__V1__CgroupIdentity__LabelsEntry pb_label;
typedef Neighborwatch__V1__CollectorStatus pb_collector;
typedef Neighborwatch__V1__BpfProgramCost pb_program;
typedef Neighborwatch__V1__BlamePair pb_pair;

/*
 * Builds a message tree in an arena. Running out of memory is remembered and asked
 * once at the end; until then everything points to valid, if empty, memory.
 */
struct builder {
	struct arena arena;
	bool is_out_of_memory;
};

static void arena_freep(struct builder *builder)
{
	arena_free(&builder->arena);
}

/* `n` messages of one type and the pointers to them that protobuf-c wants. */
static void *allocate(struct builder *builder, size_t n, size_t size)
{
	void *memory = arena_alloc(&builder->arena, n, size);

	if (!memory)
		builder->is_out_of_memory = true;
	return memory;
}

static char *text(struct builder *builder, const char *from)
{
	char *copy;

	if (!from || from[0] == '\0')
		return (char *)protobuf_c_empty_string;
	copy = allocate(builder, strlen(from) + 1, 1);
	if (!copy)
		return (char *)protobuf_c_empty_string;
	strcpy(copy, from);
	utf8_repair(copy);
	return copy;
}

/* Declares `type *name` and `type **pointers` of `n` initialised messages; n = 0 on failure. */
#define MESSAGES(builder, type, init, n, messages, pointers)    \
	type *messages = allocate(builder, n, sizeof(type));    \
	type **pointers = allocate(builder, n, sizeof(type *)); \
	if (!(messages) || !(pointers))                         \
		(n) = 0;                                        \
	for (size_t message_ = 0; message_ < (n); message_++) { \
		(messages)[message_] = (type)init;              \
		(pointers)[message_] = &(messages)[message_];   \
	}

static void build_histogram(struct builder *builder, const struct sched_counters *from,
			    pb_sched *to)
{
	size_t n = 0;

	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++)
		n += from->runq[i] != 0;
	to->runq_bucket = allocate(builder, n, sizeof(to->runq_bucket[0]));
	to->runq_count = allocate(builder, n, sizeof(to->runq_count[0]));
	if (!to->runq_bucket || !to->runq_count)
		return;
	n = 0;
	for (uint32_t i = 0; i < RUNQ_BUCKETS; i++) {
		if (!from->runq[i])
			continue;
		to->runq_bucket[n] = i;
		to->runq_count[n++] = from->runq[i];
	}
	to->n_runq_bucket = n;
	to->n_runq_count = n;
}

static pb_sched *build_sched(struct builder *builder, const struct window_row *row)
{
	pb_sched *sched = allocate(builder, 1, sizeof(*sched));

	if (!sched)
		return NULL;
	*sched = (pb_sched)NEIGHBORWATCH__V1__SCHED_WINDOW__INIT;
	sched->ran_ns = row->sched.ran_ns;
	sched->wait_ns = row->sched.wait_ns;
	sched->wait_count = row->sched.wait_count;
	sched->migrated_wait_ns = row->sched.migrated_wait_ns;
	sched->throttled_out = row->sched.throttled_out;
	sched->preempted_self = row->preempted_self;
	sched->preempted_other = row->preempted_other;
	sched->preempted_system = row->preempted_system;
	build_histogram(builder, &row->sched, sched);
	return sched;
}

static pb_cpu_stat *build_cpu_stat(struct builder *builder, const struct window_row *row)
{
	pb_cpu_stat *stat = allocate(builder, 1, sizeof(*stat));

	if (!stat)
		return NULL;
	*stat = (pb_cpu_stat)NEIGHBORWATCH__V1__CPU_STAT_WINDOW__INIT;
	stat->usage_ns = row->usage_ns;
	stat->user_ns = row->user_ns;
	stat->system_ns = row->system_ns;
	return stat;
}

static void build_quotas(struct builder *builder, const struct window_row *row, pb_cgroup *to)
{
	size_t n = row->n_quotas;
	MESSAGES(builder, pb_quota, NEIGHBORWATCH__V1__QUOTA_WINDOW__INIT, n, quotas, pointers)

	for (size_t i = 0; i < n; i++) {
		const struct window_quota *from = &row->quotas[i];

		quotas[i].cgroup_path = text(builder, from->cgroup_path);
		quotas[i].own = from->own;
		quotas[i].quota_us = from->quota_us;
		quotas[i].period_us = from->period_us;
		quotas[i].burst_us = from->burst_us;
		quotas[i].nr_periods = from->nr_periods;
		quotas[i].nr_throttled = from->nr_throttled;
		quotas[i].throttled_ns = from->throttled_ns;
	}
	to->quotas = pointers;
	to->n_quotas = n;
}

static void build_cgroups(struct builder *builder, const struct window *window, pb_batch *to)
{
	size_t n = window->n_rows;
	MESSAGES(builder, pb_cgroup, NEIGHBORWATCH__V1__CGROUP_WINDOW__INIT, n, rows, pointers)

	for (size_t i = 0; i < n; i++) {
		const struct window_row *row = &window->rows[i];

		rows[i].container_id = row->container_id;
		rows[i].cpus_allowed = row->cpus_allowed;
		if (row->has & CGROUP_HAS_SCHED)
			rows[i].sched = build_sched(builder, row);
		if (row->has & CGROUP_HAS_USAGE)
			rows[i].cpu_stat = build_cpu_stat(builder, row);
		build_quotas(builder, row, &rows[i]);
	}
	to->cgroups = pointers;
	to->n_cgroups = n;
}

static void build_labels(struct builder *builder, char *const *labels, pb_identity *to)
{
	size_t n = 0;

	while (labels && labels[2 * n])
		n++;
	MESSAGES(builder, pb_label, NEIGHBORWATCH__V1__CGROUP_IDENTITY__LABELS_ENTRY__INIT, n,
		 entries, pointers)
	for (size_t i = 0; i < n; i++) {
		entries[i].key = text(builder, labels[2 * i]);
		entries[i].value = text(builder, labels[2 * i + 1]);
	}
	to->labels = pointers;
	to->n_labels = n;
}

static void build_identities(struct builder *builder, const struct batch *batch, pb_batch *to)
{
	size_t n = batch->n_identities;
	MESSAGES(builder, pb_identity, NEIGHBORWATCH__V1__CGROUP_IDENTITY__INIT, n, identities,
		 pointers)

	for (size_t i = 0; i < n; i++) {
		const struct batch_identity *from = &batch->identities[i];

		identities[i].container_id = from->container_id;
		identities[i].kind = from->is_container
					     ? NEIGHBORWATCH__V1__CGROUP_KIND__CGROUP_KIND_CONTAINER
					     : NEIGHBORWATCH__V1__CGROUP_KIND__CGROUP_KIND_SYSTEM;
		identities[i].name = text(builder, from->name);
		identities[i].cgroup_path = text(builder, from->cgroup_path);
		identities[i].runtime = text(builder, from->runtime);
		identities[i].runtime_id = text(builder, from->runtime_id);
		identities[i].image = text(builder, from->image);
		identities[i].pod = text(builder, from->pod);
		identities[i].namespace_ = text(builder, from->namespace);
		identities[i].pod_uid = text(builder, from->pod_uid);
		build_labels(builder, from->labels, &identities[i]);
	}
	to->identities = pointers;
	to->n_identities = n;
}

static void build_blame(struct builder *builder, const struct pair_merge *blame, pb_batch *to)
{
	Neighborwatch__V1__BlameWindow *window = allocate(builder, 1, sizeof(*window));
	size_t n = blame->n_pairs;
	MESSAGES(builder, pb_pair, NEIGHBORWATCH__V1__BLAME_PAIR__INIT, n, pairs, pointers)

	if (!window)
		return;
	for (size_t i = 0; i < n; i++) {
		pairs[i].victim_id = blame->pairs[i].victim_id;
		pairs[i].aggressor_id = blame->pairs[i].aggressor_id;
		pairs[i].preemptions = blame->pairs[i].preemptions;
	}
	*window = (Neighborwatch__V1__BlameWindow)NEIGHBORWATCH__V1__BLAME_WINDOW__INIT;
	window->started_at_unix_ns = blame->started_at_unix_ns;
	window->duration_ns = blame->duration_ns;
	window->dropped_pairs = blame->dropped;
	window->pairs = pointers;
	window->n_pairs = n;
	to->blame = window;
}

static void build_collectors(struct builder *builder, const struct batch *batch, pb_batch *to)
{
	size_t n = batch->n_collectors;
	MESSAGES(builder, pb_collector, NEIGHBORWATCH__V1__COLLECTOR_STATUS__INIT, n, collectors,
		 pointers)

	for (size_t i = 0; i < n; i++) {
		collectors[i].name = text(builder, batch->collectors[i].name);
		collectors[i].state = (Neighborwatch__V1__CollectorState)batch->collectors[i].state;
		collectors[i].reason = text(builder, batch->collectors[i].reason);
		collectors[i].lost = batch->collectors[i].lost;
	}
	to->collectors = pointers;
	to->n_collectors = n;
}

static void build_cost(struct builder *builder, const struct batch_cost *from, pb_batch *to)
{
	Neighborwatch__V1__AgentCost *cost = allocate(builder, 1, sizeof(*cost));
	size_t n = from->n_programs;
	MESSAGES(builder, pb_program, NEIGHBORWATCH__V1__BPF_PROGRAM_COST__INIT, n, programs,
		 pointers)

	if (!cost)
		return;
	for (size_t i = 0; i < n; i++) {
		programs[i].name = text(builder, from->programs[i].name);
		programs[i].run_count = from->programs[i].run_count;
		programs[i].run_ns = from->programs[i].run_ns;
	}
	*cost = (Neighborwatch__V1__AgentCost)NEIGHBORWATCH__V1__AGENT_COST__INIT;
	cost->user_ns = from->user_ns;
	cost->system_ns = from->system_ns;
	cost->rss_bytes = from->rss_bytes;
	cost->spool_batches = from->spool_batches;
	cost->spool_bytes = from->spool_bytes;
	cost->spool_dropped = from->spool_dropped;
	cost->rejected_batches = from->rejected_batches;
	cost->programs = pointers;
	cost->n_programs = n;
	to->cost = cost;
}

static void build_facts(struct builder *builder, const struct batch_facts *from, pb_batch *to)
{
	Neighborwatch__V1__HostFacts *facts = allocate(builder, 1, sizeof(*facts));

	if (!facts)
		return;
	*facts = (Neighborwatch__V1__HostFacts)NEIGHBORWATCH__V1__HOST_FACTS__INIT;
	facts->hostname = text(builder, from->hostname);
	facts->agent_version = text(builder, from->agent_version);
	facts->kernel_release = text(builder, from->kernel_release);
	facts->os_name = text(builder, from->os_name);
	facts->cpu_vendor = text(builder, from->cpu_vendor);
	facts->cpu_model = text(builder, from->cpu_model);
	facts->cpus_online = from->cpus_online;
	facts->cores = from->cores;
	facts->sockets = from->sockets;
	facts->numa_nodes = from->numa_nodes;
	facts->l3_domains = from->l3_domains;
	facts->threads_per_core = from->threads_per_core;
	facts->cache_architecture = text(builder, from->cache_architecture);
	facts->memory_bytes = from->memory_bytes;
	facts->hypervisor = text(builder, from->hypervisor);
	facts->cgroup_mode = text(builder, from->cgroup_mode);
	facts->instance_type = text(builder, from->instance_type);
	facts->instance_family = text(builder, from->instance_family);
	facts->region = text(builder, from->region);
	to->facts = facts;
}

static void build_host(struct builder *builder, const struct host_counters *from, pb_batch *to)
{
	Neighborwatch__V1__HostWindow *host = allocate(builder, 1, sizeof(*host));

	if (!host)
		return;
	*host = (Neighborwatch__V1__HostWindow)NEIGHBORWATCH__V1__HOST_WINDOW__INIT;
	host->cpus_online = from->cpus_online;
	host->user_ns = from->user_ns;
	host->system_ns = from->system_ns;
	host->idle_ns = from->idle_ns;
	host->iowait_ns = from->iowait_ns;
	host->steal_ns = from->steal_ns;
	host->context_switches = from->context_switches;
	to->host = host;
}

static size_t put_varint(uint8_t *to, uint64_t number)
{
	size_t n = 0;

	while (number >= 0x80) {
		to[n++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	to[n++] = (uint8_t)number;
	return n;
}

static int pack(const pb_batch *message, uint8_t **ret_bytes, size_t *ret_length)
{
	const size_t length = neighborwatch__v1__batch__get_packed_size(message);
	uint8_t *bytes = malloc(length + 11); /* tag and the longest varint */
	size_t n = 1;

	if (!bytes)
		return -ENOMEM;
	bytes[0] = BATCHES_TAG;
	n += put_varint(bytes + 1, length);
	n += neighborwatch__v1__batch__pack(message, bytes + n);
	*ret_bytes = bytes;
	*ret_length = n;
	return 0;
}

int batch_encode(const struct batch *batch, uint8_t **ret_bytes, size_t *ret_length)
{
	cleanup(arena_freep) struct builder builder = {0};
	pb_batch message = NEIGHBORWATCH__V1__BATCH__INIT;

	message.sequence = batch->sequence;
	message.boot_id.data = (uint8_t *)batch->boot_id;
	message.boot_id.len = sizeof(batch->boot_id);
	message.started_at_unix_ns = batch->window->started_at_unix_ns;
	message.duration_ns = batch->window->duration_ns;
	build_host(&builder, &batch->window->host, &message);
	build_cgroups(&builder, batch->window, &message);
	build_identities(&builder, batch, &message);
	build_collectors(&builder, batch, &message);
	build_cost(&builder, &batch->cost, &message);
	if (batch->blame)
		build_blame(&builder, batch->blame, &message);
	if (batch->facts)
		build_facts(&builder, batch->facts, &message);
	if (builder.is_out_of_memory)
		return -ENOMEM;
	return pack(&message, ret_bytes, ret_length);
}

size_t request_head_encode(uint64_t host_id, const uint8_t stream_id[16], uint64_t lost_batches,
			   uint8_t ret_head[REQUEST_HEAD_MAX_BYTES])
{
	Neighborwatch__V1__IngestRequest request = NEIGHBORWATCH__V1__INGEST_REQUEST__INIT;

	request.host_id = host_id;
	request.stream_id.data = (uint8_t *)stream_id;
	request.stream_id.len = 16;
	request.lost_batches = lost_batches;
	return neighborwatch__v1__ingest_request__pack(&request, ret_head);
}
