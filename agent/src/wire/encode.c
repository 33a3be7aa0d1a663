#include "wire/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/encode_builder.h"

#define BATCHES_TAG ((4 << 3) | 2) /* field 4 of IngestRequest, length-delimited */

typedef Neighborwatch__V1__Batch pb_batch;
typedef Neighborwatch__V1__CgroupIdentity pb_identity;
typedef Neighborwatch__V1__CgroupIdentity__LabelsEntry pb_label;
typedef Neighborwatch__V1__CollectorStatus pb_collector;
typedef Neighborwatch__V1__BpfProgramCost pb_program;
typedef Neighborwatch__V1__BlamePair pb_pair;

static void arena_freep(struct builder *builder)
{
	arena_free(&builder->arena);
}

static void build_labels(struct builder *builder, char *const *labels, pb_identity *to)
{
	const pb_label initial = NEIGHBORWATCH__V1__CGROUP_IDENTITY__LABELS_ENTRY__INIT;
	pb_label **entries;
	size_t n = 0;

	if (!labels)
		return;
	while (labels[2 * n])
		n++;
	entries = builder_messages(builder, &n, &initial, sizeof(initial));
	for (size_t i = 0; i < n; i++) {
		entries[i]->key = builder_text(builder, labels[2 * i]);
		entries[i]->value = builder_text(builder, labels[2 * i + 1]);
	}
	to->labels = entries;
	to->n_labels = n;
}

static void build_identities(struct builder *builder, const struct batch *batch, pb_batch *to)
{
	size_t n = batch->n_identities;
	const pb_identity initial = NEIGHBORWATCH__V1__CGROUP_IDENTITY__INIT;
	pb_identity **identities = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++) {
		const struct batch_identity *from = &batch->identities[i];

		identities[i]->container_id = from->container_id;
		identities[i]->kind =
			from->is_container ? NEIGHBORWATCH__V1__CGROUP_KIND__CGROUP_KIND_CONTAINER
					   : NEIGHBORWATCH__V1__CGROUP_KIND__CGROUP_KIND_SYSTEM;
		identities[i]->name = builder_text(builder, from->name);
		identities[i]->cgroup_path = builder_text(builder, from->cgroup_path);
		identities[i]->runtime = builder_text(builder, from->runtime);
		identities[i]->runtime_id = builder_text(builder, from->runtime_id);
		identities[i]->image = builder_text(builder, from->image);
		identities[i]->pod = builder_text(builder, from->pod);
		identities[i]->namespace_ = builder_text(builder, from->namespace);
		identities[i]->pod_uid = builder_text(builder, from->pod_uid);
		build_labels(builder, from->labels, identities[i]);
	}
	to->identities = identities;
	to->n_identities = n;
}

static void build_blame(struct builder *builder, const struct pair_merge *blame, pb_batch *to)
{
	Neighborwatch__V1__BlameWindow *window = builder_alloc(builder, 1, sizeof(*window));
	size_t n = blame->n_pairs;
	const pb_pair initial = NEIGHBORWATCH__V1__BLAME_PAIR__INIT;
	pb_pair **pairs = builder_messages(builder, &n, &initial, sizeof(initial));

	if (!window)
		return;
	for (size_t i = 0; i < n; i++) {
		pairs[i]->victim_id = blame->pairs[i].victim_id;
		pairs[i]->aggressor_id = blame->pairs[i].aggressor_id;
		pairs[i]->preemptions = blame->pairs[i].preemptions;
	}
	*window = (Neighborwatch__V1__BlameWindow)NEIGHBORWATCH__V1__BLAME_WINDOW__INIT;
	window->started_at_unix_ns = blame->started_at_unix_ns;
	window->duration_ns = blame->duration_ns;
	window->dropped_pairs = blame->dropped;
	window->pairs = pairs;
	window->n_pairs = n;
	to->blame = window;
}

static void build_collectors(struct builder *builder, const struct batch *batch, pb_batch *to)
{
	size_t n = batch->n_collectors;
	const pb_collector initial = NEIGHBORWATCH__V1__COLLECTOR_STATUS__INIT;
	pb_collector **collectors = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++) {
		collectors[i]->name = builder_text(builder, batch->collectors[i].name);
		collectors[i]->state =
			(Neighborwatch__V1__CollectorState)batch->collectors[i].state;
		collectors[i]->reason = builder_text(builder, batch->collectors[i].reason);
		collectors[i]->lost = batch->collectors[i].lost;
	}
	to->collectors = collectors;
	to->n_collectors = n;
}

static void build_cost(struct builder *builder, const struct batch_cost *from, pb_batch *to)
{
	Neighborwatch__V1__AgentCost *cost = builder_alloc(builder, 1, sizeof(*cost));
	size_t n = from->n_programs;
	const pb_program initial = NEIGHBORWATCH__V1__BPF_PROGRAM_COST__INIT;
	pb_program **programs = builder_messages(builder, &n, &initial, sizeof(initial));

	if (!cost)
		return;
	for (size_t i = 0; i < n; i++) {
		programs[i]->name = builder_text(builder, from->programs[i].name);
		programs[i]->run_count = from->programs[i].run_count;
		programs[i]->run_ns = from->programs[i].run_ns;
	}
	*cost = (Neighborwatch__V1__AgentCost)NEIGHBORWATCH__V1__AGENT_COST__INIT;
	cost->user_ns = from->user_ns;
	cost->system_ns = from->system_ns;
	cost->rss_bytes = from->rss_bytes;
	cost->spool_batches = from->spool_batches;
	cost->spool_bytes = from->spool_bytes;
	cost->spool_dropped = from->spool_dropped;
	cost->rejected_batches = from->rejected_batches;
	cost->programs = programs;
	cost->n_programs = n;
	to->cost = cost;
}

static void build_facts(struct builder *builder, const struct batch_facts *from, pb_batch *to)
{
	Neighborwatch__V1__HostFacts *facts = builder_alloc(builder, 1, sizeof(*facts));

	if (!facts)
		return;
	*facts = (Neighborwatch__V1__HostFacts)NEIGHBORWATCH__V1__HOST_FACTS__INIT;
	facts->hostname = builder_text(builder, from->hostname);
	facts->agent_version = builder_text(builder, from->agent_version);
	facts->kernel_release = builder_text(builder, from->kernel_release);
	facts->os_name = builder_text(builder, from->os_name);
	facts->cpu_vendor = builder_text(builder, from->cpu_vendor);
	facts->cpu_model = builder_text(builder, from->cpu_model);
	facts->cpus_online = from->cpus_online;
	facts->cores = from->cores;
	facts->sockets = from->sockets;
	facts->numa_nodes = from->numa_nodes;
	facts->l3_domains = from->l3_domains;
	facts->threads_per_core = from->threads_per_core;
	facts->cache_architecture = builder_text(builder, from->cache_architecture);
	facts->memory_bytes = from->memory_bytes;
	facts->hypervisor = builder_text(builder, from->hypervisor);
	facts->cgroup_mode = builder_text(builder, from->cgroup_mode);
	facts->instance_type = builder_text(builder, from->instance_type);
	facts->instance_family = builder_text(builder, from->instance_family);
	facts->region = builder_text(builder, from->region);
	to->facts = facts;
}

static void build_host(struct builder *builder, const struct host_counters *from, pb_batch *to)
{
	Neighborwatch__V1__HostWindow *host = builder_alloc(builder, 1, sizeof(*host));

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
	encode_rows(&builder, batch->window, &message);
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
