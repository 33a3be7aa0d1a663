#pragma once

#include "config.h"

/*
 * Owns loop, collectors, cgroup table and outbox: the only place where parts meet.
 * Both functions log what went wrong; the caller only needs the exit code.
 */
struct agent;

int agent_new(const struct config *config, struct agent **ret);

/* Until SIGINT, SIGTERM or SIGHUP. Then the last, shorter window is sent or spooled. */
int agent_run(struct agent *self);
void agent_free(struct agent *self);
