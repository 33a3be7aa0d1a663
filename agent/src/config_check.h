#pragma once

#include "config.h"

/* What no setting can say alone: addresses, and settings that exclude each other. */
int config_check(const struct config *config, enum config_command command,
		 struct config_error *ret_error);

/* Whether a URL that config_check took leads to this machine. */
bool config_is_local(const char *url);
