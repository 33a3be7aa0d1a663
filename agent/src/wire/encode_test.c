#include "wire/encode.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "neighborwatch/v1/ingest.pb-c.h"

#define GOLDEN_DIR  "../e2e/contract"
#define GOLDEN_FILE "batch_golden.pb"

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
	{VICTIM, HOG, 211, 0}, {VICTIM, KUBELET, 7, 0}, {HOG, HOG, 13, 0}};
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

static const struct batch_collector statuses[] = {
	{"sched", 1, "", 0, 0, NULL, 0},
	{"throttle", 2, "cpu.stat of 3 cgroups could not be read: Permission denied", 3, 0, NULL,
	 0},
};

static const struct batch_program programs[] = {{"sched_switch", 120000, 9600000}};

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

static void fill_victim(struct window_row *row)
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
			  .throttled_out = 17},
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

static void fill_window(void)
{
	fill_victim(&rows[0]);
	rows[1] = (struct window_row){
		.container_id = HOG,
		.is_container = true,
		.has = CGROUP_HAS_SCHED | CGROUP_HAS_USAGE | CGROUP_HAS_BANDWIDTH,
		.cpus_allowed = 96,
		.sched = {.ran_ns = 9 * SECOND, .wait_ns = 1000000, .wait_count = 40},
		.preempted_self = 13,
		.usage_ns = 9 * SECOND,
		.user_ns = 9 * SECOND,
		.n_quotas = 1,
	};
	rows[1].sched.runq[3] = 40;
	rows[1].quotas[0] = (struct window_quota){hog_path, true, 0, 100000, 0, 0, 0, 0};
	/* sched only: nothing of cpu.stat could be read. */
	rows[2] = (struct window_row){
		.container_id = KUBELET,
		.has = CGROUP_HAS_SCHED,
		.sched = {.ran_ns = 2000000, .wait_ns = 3000, .wait_count = 3},
	};
	rows[2].sched.runq[1] = 3;
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
		.n_pairs = 3,
	};
	merge = (struct pair_merge){
		.started_at_unix_ns = START_NS,
		.duration_ns = 10 * SECOND,
		.pairs = pairs,
		.n_pairs = 3,
		.dropped = 2,
	};
}

static struct batch full_batch(void)
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
			 .n_programs = 1},
		.facts = &facts,
	};

	memcpy(batch.boot_id, boot_id, sizeof(boot_id));
	fill_window();
	return batch;
}

/* A request of two batches: everything there is, then a window in which little was. */
static size_t golden_request(uint8_t *to, size_t capacity)
{
	struct batch batch = full_batch();
	cleanup(freep) uint8_t *first = NULL;
	cleanup(freep) uint8_t *second = NULL;
	size_t first_length, second_length, n;

	assert_int_equal(batch_encode(&batch, &first, &first_length), 0);
	batch = (struct batch){.sequence = 2, .window = &window};
	memcpy(batch.boot_id, boot_id, sizeof(boot_id));
	window.started_at_unix_ns = START_NS + 10 * (int64_t)SECOND;
	window.n_rows = 2;
	assert_int_equal(batch_encode(&batch, &second, &second_length), 0);

	n = request_head_encode(1, stream_id, 0, to);
	assert_true(n + first_length + second_length < capacity);
	memcpy(to + n, first, first_length);
	memcpy(to + n + first_length, second, second_length);
	return n + first_length + second_length;
}

static void encoder_produces_the_golden_request(void **state)
{
	cleanup(close_fdp) int dir = -1;
	cleanup(freep) char *golden = NULL;
	uint8_t made[8192];
	size_t length, golden_length;

	(void)state;
	length = golden_request(made, sizeof(made));
	assert_int_equal(directory_open(AT_FDCWD, GOLDEN_DIR, 0755, &dir), 0);
	if (getenv("NW_WRITE_GOLDEN"))
		assert_int_equal(file_write_atomic(dir, GOLDEN_FILE, made, length, 0644, false), 0);
	assert_int_equal(file_read(dir, GOLDEN_FILE, sizeof(made), &golden, &golden_length), 0);
	assert_int_equal(golden_length, length);
	assert_memory_equal(golden, made, length);
}

static Neighborwatch__V1__IngestRequest *unpack_golden(void)
{
	uint8_t made[8192];
	const size_t length = golden_request(made, sizeof(made));

	return neighborwatch__v1__ingest_request__unpack(NULL, length, made);
}

static void encoded_batches_append_to_a_request_head(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();

	(void)state;
	assert_non_null(request);
	assert_int_equal(request->host_id, 1);
	assert_int_equal(request->stream_id.len, 16);
	assert_int_equal(request->n_batches, 2);
	assert_int_equal(request->batches[0]->sequence, 1);
	assert_int_equal(request->batches[1]->sequence, 2);
	assert_null(request->batches[1]->blame);
	assert_null(request->batches[1]->facts);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void only_measured_parts_of_a_row_are_present(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	Neighborwatch__V1__Batch *batch = request->batches[0];

	(void)state;
	assert_int_equal(batch->n_cgroups, 4);
	assert_non_null(batch->cgroups[0]->sched);
	assert_non_null(batch->cgroups[0]->cpu_stat);
	assert_int_equal(batch->cgroups[0]->n_quotas, 2);
	assert_non_null(batch->cgroups[2]->sched);
	assert_null(batch->cgroups[2]->cpu_stat);
	assert_null(batch->cgroups[3]->sched);
	assert_non_null(batch->cgroups[3]->cpu_stat);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void histogram_is_sparse(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	const Neighborwatch__V1__SchedWindow *sched = request->batches[0]->cgroups[0]->sched;

	(void)state;
	assert_int_equal(sched->n_runq_bucket, 4);
	assert_int_equal(sched->n_runq_count, 4);
	assert_int_equal(sched->runq_bucket[3], 95);
	assert_int_equal(sched->runq_count[0] + sched->runq_count[1] + sched->runq_count[2] +
				 sched->runq_count[3],
			 sched->wait_count);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void text_that_is_not_utf8_is_repaired(void **state)
{
	struct batch_identity identity = {
		.container_id = 1, .name = "caf\xc3\xa9 \xff\xc3", .cgroup_path = "/\xed\xa0\x80"};
	struct batch batch = {
		.sequence = 1, .window = &window, .identities = &identity, .n_identities = 1};
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__IngestRequest *request;
	size_t length;

	(void)state;
	fill_window();
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, length, bytes);
	assert_string_equal(request->batches[0]->identities[0]->name, "caf\xc3\xa9 ??");
	assert_string_equal(request->batches[0]->identities[0]->cgroup_path, "/???");
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void empty_window_still_carries_the_host(void **state)
{
	const struct window empty = {.started_at_unix_ns = START_NS, .duration_ns = 1};
	struct batch batch = {.sequence = 9, .window = &empty};
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__IngestRequest *request;
	size_t length;

	(void)state;
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, length, bytes);
	assert_non_null(request->batches[0]->host);
	assert_int_equal(request->batches[0]->n_cgroups, 0);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoder_produces_the_golden_request),
		cmocka_unit_test(encoded_batches_append_to_a_request_head),
		cmocka_unit_test(only_measured_parts_of_a_row_are_present),
		cmocka_unit_test(histogram_is_sparse),
		cmocka_unit_test(text_that_is_not_utf8_is_repaired),
		cmocka_unit_test(empty_window_still_carries_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
