#pragma once

#include <stddef.h>

/*
 * The whole pages of a block go back to the kernel and read as zero from then on. For tables
 * that are full for a moment and then wait: a page touched again costs less than a microsecond.
 */
void pages_forget(void *start, size_t bytes);
