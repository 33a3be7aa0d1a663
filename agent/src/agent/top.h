#pragma once

#include "config.h"
#include "window/wait_event.h"

/*
 * `nwagent top`: the agent's own collectors and windows, shown on a terminal instead of being
 * sent. Logs what went wrong; the caller only needs the exit code.
 */
struct agent;
struct agent_top;

int agent_top_run(const struct config *config);

/* What an agent that shows instead of sending passes on. */
void agent_top_on_signal(void *context, uint32_t number);
void agent_top_on_wait_event(struct agent_top *self, const struct wait_event *event);
