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

static void build_batch(struct builder *builder, const struct batch *from, pb_batch *to)
{
	*to = (pb_batch)NEIGHBORWATCH__V1__BATCH__INIT;
	to->sequence = from->sequence;
	to->boot_id.data = (uint8_t *)from->boot_id;
	to->boot_id.len = sizeof(from->boot_id);
	build_identities(builder, from, to);
	encode_events(builder, from, to);
	if (!from->window) {
		to->started_at_unix_ns = from->sent_at_unix_ns;
		return;
	}
	to->started_at_unix_ns = from->window->started_at_unix_ns;
	to->duration_ns = from->window->duration_ns;
	build_host(builder, &from->window->host, to);
	encode_rows(builder, from->window, to);
	encode_collectors(builder, from, to);
	encode_cost(builder, &from->cost, to);
	if (from->blame)
		encode_blame(builder, from->blame, to);
	if (from->facts)
		build_facts(builder, from->facts, to);
}

int batch_encode(const struct batch *batch, uint8_t **ret_bytes, size_t *ret_length)
{
	cleanup(arena_freep) struct builder builder = {0};
	pb_batch message;

	build_batch(&builder, batch, &message);
	if (builder.is_out_of_memory)
		return -ENOMEM;
	return pack(&message, ret_bytes, ret_length);
}

int live_request_encode(uint64_t host_id, const struct batch *batch, uint8_t **ret_bytes,
			size_t *ret_length)
{
	cleanup(arena_freep) struct builder builder = {0};
	const struct window *window = batch->window;
	/* Nobody waits a minute for pairs here: those of the window itself. */
	const struct pair_merge blame = {
		.started_at_unix_ns = window->started_at_unix_ns,
		.duration_ns = window->duration_ns,
		.pairs = window->pairs,
		.n_pairs = window->n_pairs,
	};
	struct batch live = *batch;
	pb_batch message, *windows[] = {&message};
	Neighborwatch__V1__LiveRequest request = NEIGHBORWATCH__V1__LIVE_REQUEST__INIT;
	uint8_t *bytes;

	live.sequence = 0;
	live.n_collectors = 0;
	live.n_events = 0;
	live.event_loss = (struct batch_event_loss){};
	live.facts = NULL;
	live.blame = &blame;
	build_batch(&builder, &live, &message);
	if (builder.is_out_of_memory)
		return -ENOMEM;
	request.host_id = host_id;
	request.windows = windows;
	request.n_windows = 1;
	bytes = malloc(neighborwatch__v1__live_request__get_packed_size(&request));
	if (!bytes)
		return -ENOMEM;
	*ret_length = neighborwatch__v1__live_request__pack(&request, bytes);
	*ret_bytes = bytes;
	return 0;
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
