#pragma once

#include "config.h"

/*
 * `nwagent check`: one line per ability, what is missing, why, and what to do. Leaves
 * nothing behind. Negative if something is missing without which the agent cannot work.
 */
int check_print(const struct config *config);
