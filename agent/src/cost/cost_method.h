#pragma once

/* Numbers as in the wire's CostMethod. */
enum cost_method {
	COST_METHOD_UNKNOWN = 0,
	COST_METHOD_MEASURED = 1,
	COST_METHOD_ESTIMATED = 2,
};
