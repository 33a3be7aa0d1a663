#include "host/hypervisor.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file_io.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#define CPUID_HYPERVISOR_BIT  (1u << 31) /* leaf 1, ecx */
#define CPUID_HYPERVISOR_LEAF 0x40000000u

static const char *detect(const char *vendor, const char *product)
{
	static const struct {
		const char *signature, *name;
	} known[] = {
		{"KVMKVMKVM", "KVM"},	    {"Linux KVM Hv", "KVM"},
		{"VMwareVMware", "VMware"}, {"Microsoft Hv", "Hyper-V"},
		{"XenVMMXenVMM", "Xen"},    {"TCGTCGTCGTCG", "QEMU TCG"},
		{"ACRNACRNACRN", "ACRN"},   {" prl hyperv ", "Parallels"},
		{"bhyve bhyve ", "bhyve"},
	};
	uint32_t eax, ebx, ecx, edx, words[3];
	char signature[13] = "";

	(void)vendor;
	(void)product;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & CPUID_HYPERVISOR_BIT))
		return "";
	__cpuid(CPUID_HYPERVISOR_LEAF, eax, words[0], words[1], words[2]);
	memcpy(signature, words, sizeof(words));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].signature, signature) == 0)
			return known[i].name;
	}
	return "unknown hypervisor";
}
#else
/* Without cpuid the maker's name tells a virtual machine. */
static const char *detect(const char *vendor, const char *product)
{
	static const char *const virtual_vendors[] = {
		"Amazon EC2", "Google",	      "QEMU",	   "VMware, Inc.", "Microsoft Corporation",
		"Xen",	      "innotek GmbH", "Parallels",
	};

	/* EC2's bare metal has the same vendor, and says so in the product's name. */
	if (strstr(product, "metal"))
		return "";
	for (size_t i = 0; i < sizeof(virtual_vendors) / sizeof(virtual_vendors[0]); i++) {
		if (strncmp(vendor, virtual_vendors[i], strlen(virtual_vendors[i])) == 0)
			return virtual_vendors[i];
	}
	return "";
}
#endif

static void read_dmi(const char *name, char *ret, size_t capacity)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", name);
	if (file_read_into(AT_FDCWD, path, ret, capacity, NULL) < 0)
		ret[0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

void hypervisor_read(char *ret_name, size_t capacity)
{
	const char *name;
	char vendor[64], product[64];

	read_dmi("sys_vendor", vendor, sizeof(vendor));
	read_dmi("product_name", product, sizeof(product));
	name = detect(vendor, product);
	if (name[0] && vendor[0] && strcmp(name, vendor) != 0)
		snprintf(ret_name, capacity, "%s (%s)", name, vendor);
	else
		snprintf(ret_name, capacity, "%s", name);
}
