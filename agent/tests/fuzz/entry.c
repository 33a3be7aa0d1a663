/* libFuzzer's side: one program for all targets, chosen by the variable FUZZ_TARGET. */
#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	target = fuzz_target_find(name ? name : "");
	if (target)
		return 0;
	fprintf(stderr, "FUZZ_TARGET names no target\n");
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	target->feed(bytes, length);
	return 0;
}
