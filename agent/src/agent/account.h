#pragma once

#include "config.h"

/*
 * First thing of a run: decides whom to be, makes the state directory that account's, becomes
 * it and gives up what the agent does not need. Logs what is wrong.
 */
int agent_account_enter(const struct config *config);

/* Last thing before the loop: what only opening needed goes too. Logs what is left. */
int agent_account_settle(const struct config *config);
