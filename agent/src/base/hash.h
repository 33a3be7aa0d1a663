#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV1A_64_START 0xcbf29ce484222325ULL

/* FNV-1a, 64 bits: for names and torn files, not against an attacker. */
static inline uint64_t fnv1a_64(uint64_t hash, const void *bytes, size_t length)
{
	for (const unsigned char *byte = bytes; length > 0; byte++, length--)
		hash = (hash ^ *byte) * 0x100000001b3ULL;
	return hash;
}
