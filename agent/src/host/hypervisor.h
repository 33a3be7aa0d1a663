#pragma once

#include <stddef.h>

/* "KVM (Amazon EC2)", "VMware", ...; "" on bare metal. */
void hypervisor_read(char *ret_name, size_t capacity);
