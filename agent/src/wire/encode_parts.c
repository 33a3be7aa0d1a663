#include "wire/encode_builder.h"

typedef Neighborwatch__V1__Batch pb_batch;
typedef Neighborwatch__V1__CollectorStatus pb_collector;
typedef Neighborwatch__V1__MapOccupancy pb_map;
typedef Neighborwatch__V1__BpfProgramCost pb_program;
typedef Neighborwatch__V1__BlamePair pb_pair;

void encode_blame(struct builder *builder, const struct pair_merge *blame, pb_batch *to)
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
		pairs[i]->wait_ns = blame->pairs[i].wait_ns;
	}
	*window = (Neighborwatch__V1__BlameWindow)NEIGHBORWATCH__V1__BLAME_WINDOW__INIT;
	window->started_at_unix_ns = blame->started_at_unix_ns;
	window->duration_ns = blame->duration_ns;
	window->dropped_pairs = blame->dropped;
	window->pairs = pairs;
	window->n_pairs = n;
	to->blame = window;
}

static void build_maps(struct builder *builder, const struct batch_collector *from,
		       pb_collector *to)
{
	size_t n = from->n_maps;
	const pb_map initial = NEIGHBORWATCH__V1__MAP_OCCUPANCY__INIT;
	pb_map **maps = builder_messages(builder, &n, &initial, sizeof(initial));

	for (size_t i = 0; i < n; i++) {
		maps[i]->name = builder_text(builder, from->maps[i].name);
		maps[i]->used = from->maps[i].used;
		maps[i]->capacity = from->maps[i].capacity;
		maps[i]->failed_inserts = from->maps[i].failed_inserts;
	}
	to->maps = maps;
	to->n_maps = n;
}

void encode_collectors(struct builder *builder, const struct batch *batch, pb_batch *to)
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
		collectors[i]->map_bytes = batch->collectors[i].map_bytes;
		build_maps(builder, &batch->collectors[i], collectors[i]);
	}
	to->collectors = collectors;
	to->n_collectors = n;
}

void encode_cost(struct builder *builder, const struct batch_cost *from, pb_batch *to)
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
	cost->method = (Neighborwatch__V1__CostMethod)from->method;
	cost->budget_ppm = from->budget_ppm;
	cost->spent_ppm = from->spent_ppm;
	cost->governor_level = from->governor_level;
	cost->governor_reason = builder_text(builder, from->governor_reason);
	to->cost = cost;
}
