#pragma once

#include "config.h"

/* What no setting can say alone: addresses, and settings that exclude each other. */
int config_check(const struct config *config, enum config_command command,
		 struct config_error *ret_error);
