#include "host/facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"
#include "host/hypervisor.h"
#include "host/key_value.h"

#define SMALL_FILE_BYTES 4096
#define CPUINFO_BYTES	 4096 /* the first CPU comes first, and is enough */

static void read_machine_id(char ret[33])
{
	/* The second one is where D-Bus kept it before systemd. */
	static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};

	for (size_t i = 0; i < 2; i++) {
		char text[64];
		uint8_t bytes[16];

		if (file_read_into(AT_FDCWD, paths[i], text, sizeof(text), NULL) < 0 ||
		    parse_hex(text, bytes, sizeof(bytes)) < 0)
			continue;
		for (size_t b = 0; b < sizeof(bytes); b++)
			snprintf(ret + 2 * b, 3, "%02x", bytes[b]);
		return;
	}
}

static int read_boot_id(uint8_t ret[16])
{
	char text[64];
	int r;

	r = file_read_into(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, sizeof(text), NULL);
	if (r < 0)
		return r;
	return parse_hex(text, ret, 16);
}

static void read_os_name(struct host_facts *facts)
{
	char text[SMALL_FILE_BYTES];

	if (file_read_into(AT_FDCWD, "/etc/os-release", text, sizeof(text), NULL) < 0 &&
	    file_read_into(AT_FDCWD, "/usr/lib/os-release", text, sizeof(text), NULL) < 0)
		return;
	key_value_find(text, "PRETTY_NAME", '=', facts->os_name, sizeof(facts->os_name));
}

static void read_cpuinfo(struct host_facts *facts)
{
	cleanup(close_fdp) int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	char text[CPUINFO_BYTES + 1];
	ssize_t length = fd < 0 ? -1 : read(fd, text, CPUINFO_BYTES);

	if (length < 0)
		return;
	text[length] = '\0';
	key_value_find(text, "vendor_id", ':', facts->cpu_vendor, sizeof(facts->cpu_vendor));
	key_value_find(text, "model name", ':', facts->cpu_model, sizeof(facts->cpu_model));
	/* arm64 has numbers only. */
	if (!facts->cpu_vendor[0])
		key_value_find(text, "CPU implementer", ':', facts->cpu_vendor,
			       sizeof(facts->cpu_vendor));
	if (!facts->cpu_model[0])
		key_value_find(text, "CPU part", ':', facts->cpu_model, sizeof(facts->cpu_model));
}

int host_facts_read(struct host_facts *ret_facts)
{
	struct host_facts facts = {.cache_architecture = "unknown"};
	struct utsname names;
	struct sysinfo info;
	int r;

	read_machine_id(facts.machine_id);
	r = read_boot_id(facts.boot_id);
	if (r < 0)
		return r;
	if (uname(&names) == 0) {
		snprintf(facts.hostname, sizeof(facts.hostname), "%s", names.nodename);
		snprintf(facts.kernel_release, sizeof(facts.kernel_release), "%s", names.release);
	}
	if (sysinfo(&info) == 0)
		facts.memory_bytes = (uint64_t)info.totalram * info.mem_unit;
	facts.cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	read_os_name(&facts);
	read_cpuinfo(&facts);
	hypervisor_read(facts.hypervisor, sizeof(facts.hypervisor));
	r = host_topology_read(&facts);
	if (r < 0)
		return r;

	*ret_facts = facts;
	return 0;
}
