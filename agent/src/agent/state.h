#pragma once

#include "config.h"

/*
 * Opens the state directory, makes it if only the last part is missing, and locks it
 * against a second agent until the descriptors are closed. Logs what is wrong.
 */
int agent_state_open(const struct config *config, int *ret_dir, int *ret_lock);
