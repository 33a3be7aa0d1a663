#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/cpu_times.h"
#include "host/facts.h"
#include "host/key_value.h"
#include "host/own_cost.h"

static const char stat_text[] = "cpu  100 20 30 4000 50 6 7 8 9 10\n"
				"cpu0 50 10 15 2000 25 3 3 4 4 5\n"
				"cpu1 50 10 15 2000 25 3 4 4 5 5\n"
				"intr 12345 0 0 1\n"
				"ctxt 987654\n"
				"btime 1700000000\n"
				"processes 4242\n";

static void cpu_times_are_grouped_and_in_ns(void **state)
{
	struct host_counters counters;

	(void)state;
	assert_int_equal(host_counters_parse(stat_text, 100, &counters), 0);
	assert_int_equal(counters.cpus_online, 2);
	assert_int_equal(counters.user_ns, 1200000000);	 /* user + nice, which hold guest time */
	assert_int_equal(counters.system_ns, 430000000); /* system + irq + softirq */
	assert_int_equal(counters.idle_ns, 40000000000);
	assert_int_equal(counters.iowait_ns, 500000000);
	assert_int_equal(counters.steal_ns, 80000000);
	assert_int_equal(counters.context_switches, 987654);
}

static void incomplete_statistics_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"cpu  1 2 3\n",
		"cpu  1 2 3 4 5 6 7 8\nctxt 1\n", /* no CPU */
		"cpu  1 2 3 4 5 6 7 8\ncpu0 1\n", /* no switches */
		"cpu  1 2 3 4 5 6 7 x\ncpu0 1\nctxt 1\n",
	};
	struct host_counters counters = {.cpus_online = 77};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(host_counters_parse(bad[i], 100, &counters) < 0);
	assert_int_equal(counters.cpus_online, 77);
}

static void this_hosts_counters_only_grow(void **state)
{
	struct host_counters before, after;

	(void)state;
	assert_int_equal(host_counters_read(&before), 0);
	assert_int_equal(host_counters_read(&after), 0);
	assert_true(after.context_switches >= before.context_switches);
	assert_true(after.user_ns + after.system_ns >= before.user_ns + before.system_ns);
}

static void key_values_are_found_with_and_without_quotes(void **state)
{
	static const char text[] = "VERSION_ID=12\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"
				   "model name\t: Intel(R) Xeon(R)\nEMPTY=\nPRETTY=no";
	char value[64] = "untouched";

	(void)state;
	assert_true(key_value_find(text, "PRETTY_NAME", '=', value, sizeof(value)));
	assert_string_equal(value, "Debian GNU/Linux 12");
	assert_true(key_value_find(text, "model name", ':', value, sizeof(value)));
	assert_string_equal(value, "Intel(R) Xeon(R)");
	assert_true(key_value_find(text, "PRETTY", '=', value, sizeof(value)));
	assert_string_equal(value, "no");
	assert_true(key_value_find(text, "EMPTY", '=', value, sizeof(value)));
	assert_string_equal(value, "");
	assert_false(key_value_find(text, "MISSING", '=', value, sizeof(value)));
}

static void facts_of_this_host_agree_with_each_other(void **state)
{
	struct host_facts facts;

	(void)state;
	assert_int_equal(host_facts_read(&facts), 0);
	assert_true(facts.cpus_online > 0);
	assert_true(facts.cores > 0 && facts.cores >= facts.sockets);
	assert_true(facts.sockets > 0 && facts.numa_nodes > 0 && facts.threads_per_core > 0);
	assert_true(facts.memory_bytes > 0);
	assert_true(facts.kernel_release[0] && facts.hostname[0]);
}

static void own_cost_is_known(void **state)
{
	struct own_cost cost;

	(void)state;
	assert_int_equal(own_cost_read(&cost), 0);
	assert_true(cost.rss_bytes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_times_are_grouped_and_in_ns),
		cmocka_unit_test(incomplete_statistics_are_refused),
		cmocka_unit_test(this_hosts_counters_only_grow),
		cmocka_unit_test(key_values_are_found_with_and_without_quotes),
		cmocka_unit_test(facts_of_this_host_agree_with_each_other),
		cmocka_unit_test(own_cost_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
