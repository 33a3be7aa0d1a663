#pragma once

#include "agent/cost.h"

/* What a run of each program costs on this machine. Logs how that was found. */
void agent_cost_calibrate(struct agent_cost *self, struct collector_set *set,
			  struct snapshot *scratch);

/* The entry of a program; one that was not there at start gets what is typical of it. */
struct costed_program *agent_cost_program(struct agent_cost *self,
					  const struct collector_program *program);
