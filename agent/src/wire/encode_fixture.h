#pragma once

/* The batches that the golden files hold and the tests of both writers read. */
#include <stdint.h>
#include <string.h>

#include "wire/batch.h"

#define START_NS 1767225600000000000LL /* 2026-01-01T00:00:00Z */
#define SECOND	 1000000000ULL

static const uint8_t stream_id[16] = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
				      0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f};
static const uint8_t boot_id[16] = {0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
				    0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf};

static const char victim_id[] = "1111111111111111111111111111111111111111111111111111111111111111";
static const char victim_path[] =
	"/kubepods/burstable/pod6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10/"
	"1111111111111111111111111111111111111111111111111111111111111111";
static const char hog_id[] = "2222222222222222222222222222222222222222222222222222222222222222";
static const char hog_path[] =
	"/docker/2222222222222222222222222222222222222222222222222222222222222222";

/* Any ids: how they are made is tested with path_identity. */
#define VICTIM	0x1111ULL
#define HOG	0x2222ULL
#define KUBELET 0x3333ULL
#define FOLD	0x4444ULL

static struct window_row rows[4];
static struct window_pair pairs[] = {
	{VICTIM, HOG, 211, 3600000000}, {VICTIM, KUBELET, 7, 150000000},
	{VICTIM, VICTIM, 5, 100000000}, {HOG, HOG, 13, 600000},
	{HOG, VICTIM, 0, 350000},	{KUBELET, FOLD, 0, 1000}};
#define N_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static struct window window;
static struct pair_merge merge;
static char *labels[] = {"app", "payments", "team", "checkout", NULL};

static const struct batch_identity identities[] = {
	{
		.container_id = VICTIM,
		.is_container = true,
		.name = "payments",
		.cgroup_path = victim_path,
		.runtime = "containerd",
		.runtime_id = victim_id,
		.image = "registry.example/payments:1.4",
		.pod = "payments-7d9f",
		.namespace = "shop",
		.pod_uid = "6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10",
		.labels = labels,
	},
	{
		.container_id = HOG,
		.is_container = true,
		.name = "batch-hog",
		.cgroup_path = hog_path,
		.runtime = "docker",
		.runtime_id = hog_id,
		.image = "registry.example/batch:2",
	},
	{
		.container_id = KUBELET,
		.name = "kubelet.service",
		.cgroup_path = "/system.slice/kubelet.service",
	},
	{
		.container_id = FOLD,
		.name = "system (other)",
		.cgroup_path = "(other)",
	},
};

static const struct batch_map maps[] = {
	{"cgroup slots", 37, 1020, 0},
	{"pairs", 812, 16384, 4},
};

static const struct batch_collector statuses[] = {
	{"sched", 1, "", 0, 3145728, maps, 2},
	{"throttle", 2, "cpu.stat of 3 cgroups could not be read: Permission denied", 3, 0, NULL,
	 0},
};

static const struct batch_program programs[] = {{"sched_switch", 120000, 9600000},
						{"sched_migrate_task", 800, 260000}};

static const struct batch_facts facts = {
	.hostname = "node-17",
	.agent_version = "0.1.0",
	.kernel_release = "6.1.0-28-amd64",
	.os_name = "Debian GNU/Linux 12 (bookworm)",
	.cpu_vendor = "GenuineIntel",
	.cpu_model = "Intel(R) Xeon(R) Platinum 8488C",
	.cpus_online = 96,
	.cores = 48,
	.sockets = 1,
	.numa_nodes = 2,
	.l3_domains = 1,
	.threads_per_core = 2,
	.cache_architecture = "unified",
	.memory_bytes = 412316860416,
	.hypervisor = "KVM (Amazon EC2)",
	.cgroup_mode = "hybrid",
	.instance_type = "m7i.24xlarge",
	.instance_family = "m7i",
	.region = "eu-central-1",
};

static const struct batch_event events[] = {
	{
		.number = 1,
		.ended_at_unix_ns = START_NS + 3250000000,
		.container_id = VICTIM,
		.share_ids = {HOG, 0, VICTIM, FOLD, 0},
		.event = {.kind = WAIT_EVENT_NOISY_NEIGHBOR,
			  .duration_ns = 31000000,
			  .cpu = 5,
			  .pid = 4711,
			  .comm = "payments-worker",
			  .shares = {{WAIT_SHARE_CGROUP, 77, 29000000},
				     {WAIT_SHARE_UNATTRIBUTED, 0, 1000000},
				     {WAIT_SHARE_CGROUP, 76, 500000},
				     {WAIT_SHARE_CGROUP, 78, 300000},
				     {WAIT_SHARE_IDLE, 0, 200000}},
			  .n_shares = 5},
	},
	{
		.number = 2,
		.ended_at_unix_ns = START_NS + 7100000000,
		.container_id = VICTIM,
		.event = {.kind = WAIT_EVENT_THROTTLING,
			  .duration_ns = 83000000,
			  .cpu = 2,
			  .pid = 4712,
			  .comm = "payments-gc",
			  .quota_level = QUOTA_LEVEL_ANCESTOR,
			  .skipped = 6},
	},
};

static inline void fill_victim(struct window_row *row)
{
	*row = (struct window_row){
		.container_id = VICTIM,
		.is_container = true,
		.has = CGROUP_HAS_SCHED | CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH,
		.cpus_allowed = 4,
		.sched = {.ran_ns = 4 * SECOND,
			  .wait_ns = 6 * SECOND,
			  .wait_count = 1000,
			  .migrated_wait_ns = 250000000,
			  .throttled_out = 17,
			  .throttled_own_wait_ns = 1700000000,
			  .throttled_ancestor_wait_ns = 40000000,
			  .idle_gap_wait_ns = 400000000,
			  .unattributed_wait_ns = 10000000,
			  .max_wait_ns = 16 * SECOND},
		.self_wait_ns = 100000000,
		.neighbor_wait_ns = 3600000000,
		.system_wait_ns = 150000000,
		.preempted_self = 5,
		.preempted_other = 211,
		.preempted_system = 7,
		.usage_ns = 4000000123,
		.user_ns = 3500000000,
		.system_ns = 500000123,
		.n_quotas = 2,
	};
	row->sched.runq[0] = 600;
	row->sched.runq[12] = 300;
	row->sched.runq[54] = 99;
	row->sched.runq[95] = 1;
	/* 20 waits were mostly throttling: without it they were short. */
	memcpy(row->sched.runq_unthrottled, row->sched.runq, sizeof(row->sched.runq));
	row->sched.runq_unthrottled[54] = 80;
	row->sched.runq_unthrottled[95] = 0;
	row->sched.runq_unthrottled[2] = 20;
	row->quotas[0] =
		(struct window_quota){victim_path, true, 50000, 100000, 10000, 100, 17, 900000000};
	row->quotas[1] =
		(struct window_quota){"/kubepods/burstable/pod6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10",
				      false,
				      200000,
				      100000,
				      0,
				      100,
				      2,
				      40000000};
}

static inline void fill_window(void)
{
	fill_victim(&rows[0]);
	rows[1] = (struct window_row){
		.container_id = HOG,
		.is_container = true,
		.has = CGROUP_HAS_SCHED | CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH,
		.cpus_allowed = 96,
		.sched = {.ran_ns = 9 * SECOND,
			  .wait_ns = 1000000,
			  .wait_count = 40,
			  .idle_gap_wait_ns = 50000,
			  .max_wait_ns = 90000},
		.self_wait_ns = 600000,
		.neighbor_wait_ns = 350000,
		.preempted_self = 13,
		.usage_ns = 9 * SECOND,
		.user_ns = 9 * SECOND,
		.n_quotas = 1,
	};
	rows[1].sched.runq[3] = 40;
	rows[1].sched.runq_unthrottled[3] = 40;
	rows[1].quotas[0] = (struct window_quota){hog_path, true, 0, 100000, 0, 0, 0, 0};
	/* sched only: nothing of cpu.stat could be read. */
	rows[2] = (struct window_row){
		.container_id = KUBELET,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 2000000,
			  .wait_ns = 3000,
			  .wait_count = 3,
			  .idle_gap_wait_ns = 2000,
			  .max_wait_ns = 1100},
		.system_wait_ns = 1000,
	};
	rows[2].sched.runq[1] = 3;
	rows[2].sched.runq_unthrottled[1] = 3;
	/* cpu.stat only: the sched collector does not run. */
	rows[3] = (struct window_row){
		.container_id = FOLD,
		.has = CGROUP_HAS_USAGE,
		.usage_ns = 900000,
		.user_ns = 600000,
		.system_ns = 300000,
	};
	window = (struct window){
		.started_at_unix_ns = START_NS,
		.duration_ns = 10 * SECOND,
		.host = {96, 500 * SECOND, 20 * SECOND, 430 * SECOND, 5 * SECOND, SECOND, 1234567},
		.rows = rows,
		.n_rows = 4,
		.pairs = pairs,
		.n_pairs = N_PAIRS,
	};
	merge = (struct pair_merge){
		.started_at_unix_ns = START_NS,
		.duration_ns = 10 * SECOND,
		.pairs = pairs,
		.n_pairs = N_PAIRS,
		.dropped = 2,
	};
}

static inline struct batch full_batch(void)
{
	struct batch batch = {
		.sequence = 1,
		.window = &window,
		.identities = identities,
		.n_identities = 4,
		.blame = &merge,
		.collectors = statuses,
		.n_collectors = 2,
		.cost = {.user_ns = 30000000,
			 .system_ns = 12000000,
			 .rss_bytes = 15728640,
			 .spool_batches = 2,
			 .spool_bytes = 8192,
			 .spool_dropped = 1,
			 .rejected_batches = 1,
			 .programs = programs,
			 .n_programs = 2,
			 .method = COST_METHOD_MEASURED,
			 .budget_ppm = 10000,
			 .spent_ppm = 10430,
			 .governor_level = 1,
			 .governor_reason = "off: event exemplars (10430 of 10000 ppm spent)"},
		.facts = &facts,
		.events = events,
		.n_events = 2,
		.event_loss = {3, 2, 1},
	};

	memcpy(batch.boot_id, boot_id, sizeof(boot_id));
	fill_window();
	return batch;
}

/* No window: two events that did not wait for its end, with the names of their parties. */
static inline struct batch events_batch(void)
{
	struct batch batch = {
		.sequence = 3,
		.sent_at_unix_ns = START_NS + 21 * (int64_t)SECOND,
		.identities = identities,
		.n_identities = 4,
		.events = events,
		.n_events = 2,
	};

	memcpy(batch.boot_id, boot_id, sizeof(boot_id));
	return batch;
}
