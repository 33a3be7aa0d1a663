#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * PURE: the value of the first line "key<blanks><separator><blanks>value", quotes
 * around it taken off. False and an untouched result where the key is absent.
 */
bool key_value_find(const char *text, const char *key, char separator, char *ret_value,
		    size_t capacity);
