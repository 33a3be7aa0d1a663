#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cgroup/mode.h"
#include "collectors/collector.h"
#include "host/facts.h"
#include "privileges.h"
#include "wire/credentials.h"

enum verdict {
	VERDICT_OK,
	VERDICT_PARTLY,	 /* works with less */
	VERDICT_MISSING, /* cannot work */
};

static void __attribute__((format(printf, 3, 4))) say(enum verdict verdict, const char *what,
						      const char *format, ...)
{
	static const char *const words[] = {"ok", "partly", "missing"};
	va_list arguments;

	printf("%-8s %-20s ", words[verdict], what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

/* Held or not, what each is for and what is lost without it. */
static int check_rights(void)
{
	int r = 0;

	for (size_t i = 0; i < n_privileges; i++) {
		const struct privilege *right = &privileges[i];

		if (privilege_is_held(right->capability)) {
			say(VERDICT_OK, right->name, "%s", right->purpose);
			continue;
		}
		switch (right->need) {
		case PRIVILEGE_NEEDED:
			say(VERDICT_MISSING, right->name,
			    "it %s; without it %s; run as root, or set AmbientCapabilities=CAP_BPF "
			    "CAP_PERFMON CAP_DAC_READ_SEARCH in the unit",
			    right->purpose, right->without);
			r = -EPERM;
			break;
		case PRIVILEGE_USEFUL:
			say(VERDICT_PARTLY, right->name, "it %s; without it %s", right->purpose,
			    right->without);
			break;
		case PRIVILEGE_OPTIONAL:
			say(VERDICT_OK, right->name,
			    "not held and not needed: it %s; without it %s", right->purpose,
			    right->without);
			break;
		}
	}
	return r;
}

static int check_btf(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) == 0) {
		say(VERDICT_OK, "kernel BTF", "/sys/kernel/btf/vmlinux");
		return 0;
	}
	say(VERDICT_MISSING, "kernel BTF",
	    "/sys/kernel/btf/vmlinux: %s; a kernel with CONFIG_DEBUG_INFO_BTF=y is needed (every "
	    "distribution since 2021 has it)",
	    strerror(errno));
	return -ENOENT;
}

static int check_cgroups(void)
{
	struct cgroup_mode mode;
	int r;

	r = cgroup_mode_detect("/proc/self/mountinfo", &mode);
	if (r < 0) {
		say(VERDICT_MISSING, "cgroups",
		    "no hierarchy with the cpu controller is mounted: %s; mount cgroup2 at "
		    "/sys/fs/cgroup",
		    strerror(-r));
		return r;
	}
	say(VERDICT_OK, "cgroups", "%s, cpu controller at %s", cgroup_version_name(mode.version),
	    mode.cpu_root);
	return 0;
}

/* One collector that works is enough to run; each that does not is named. */
static int check_collectors(void)
{
	int r = -ENODEV;

	for (size_t i = 0; collectors[i]; i++) {
		struct collector_report report = {.state = COLLECTOR_FAILED};
		enum verdict verdict = VERDICT_MISSING;
		char what[32];

		collectors[i]->check(&report);
		if (report.state == COLLECTOR_OK)
			verdict = VERDICT_OK;
		else if (report.state == COLLECTOR_DEGRADED)
			verdict = VERDICT_PARTLY;
		if (verdict != VERDICT_MISSING)
			r = 0;
		snprintf(what, sizeof(what), "collector %s", collectors[i]->name);
		say(verdict, what, "%s", report.reason);
	}
	return r;
}

static int check_host(void)
{
	struct host_facts facts;
	int r;

	r = host_facts_read(&facts);
	if (r < 0) {
		say(VERDICT_MISSING, "host facts", "%s", strerror(-r));
		return r;
	}
	if (!facts.machine_id[0]) {
		say(VERDICT_MISSING, "machine id",
		    "/etc/machine-id holds no 32 hexadecimal digits; systemd-machine-id-setup "
		    "makes "
		    "it");
		return -ENOENT;
	}
	say(VERDICT_OK, "machine id", "%s", facts.machine_id);
	say(VERDICT_OK, "host",
	    "%s, Linux %s, %u CPUs, %u cores, %u sockets, %u NUMA nodes, %u L3 (%s)%s%s",
	    facts.hostname, facts.kernel_release, facts.cpus_online, facts.cores, facts.sockets,
	    facts.numa_nodes, facts.l3_domains, facts.cache_architecture,
	    facts.hypervisor[0] ? ", on " : "", facts.hypervisor);
	return 0;
}

static bool is_writable(const char *path)
{
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

static int check_state_dir(const struct config *config)
{
	cleanup(freep) char *parent = strdup(config->state_dir);
	char *slash = parent ? strrchr(parent, '/') : NULL;

	if (is_writable(config->state_dir)) {
		say(VERDICT_OK, "state directory", "%s", config->state_dir);
		return 0;
	}
	if (errno == ENOENT && slash) {
		slash[slash == parent] = '\0';
		if (is_writable(parent)) {
			say(VERDICT_OK, "state directory", "%s will be made", config->state_dir);
			return 0;
		}
	}
	say(VERDICT_MISSING, "state directory",
	    "%s: %s; make it writable for this user, or set --state-dir", config->state_dir,
	    strerror(errno));
	return -EACCES;
}

static int check_server(const struct config *config)
{
	cleanup(close_fdp) int dir = open(config->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct credentials credentials;

	if (!config->server) {
		say(VERDICT_PARTLY, "backend",
		    "no server is set: only nwagent --stdout works; set --server URL");
		return 0;
	}
	if (dir >= 0 && credentials_load(dir, &credentials) == 0 &&
	    strcmp(credentials.server, config->server) == 0) {
		say(VERDICT_OK, "backend", "%s, enrolled as host %llu", config->server,
		    (unsigned long long)credentials.host_id);
		return 0;
	}
	if (config->enroll_token || config->enroll_token_file) {
		say(VERDICT_OK, "backend", "%s, will be enrolled", config->server);
		return 0;
	}
	say(VERDICT_MISSING, "backend",
	    "%s does not know this host yet; set --enroll-token-file or NW_AGENT_ENROLL_TOKEN",
	    config->server);
	return -EACCES;
}

int check_print(const struct config *config)
{
	const int results[] = {
		check_rights(),	      check_btf(),  check_cgroups(),
		check_collectors(),   check_host(), check_state_dir(config),
		check_server(config),
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (results[i] < 0)
			r = -ENODEV;
	}
	puts(r < 0 ? "This host cannot be measured fully: see what is missing above."
		   : "This host can be measured.");
	return r;
}
