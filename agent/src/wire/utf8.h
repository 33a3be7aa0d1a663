#pragma once

#include <stddef.h>

/*
 * PURE: makes `text` valid UTF-8 in place: every byte that does not belong to a
 * well-formed character becomes '?'. A receiver refuses the whole batch otherwise.
 */
void utf8_repair(char *text);
