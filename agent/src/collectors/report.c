#include "collectors/collector.h"

#include <stdarg.h>
#include <stdio.h>

void collector_report_set(struct collector_report *report, enum collector_state state,
			  const char *format, ...)
{
	va_list args;

	report->state = state;
	va_start(args, format);
	(void)vsnprintf(report->reason, sizeof(report->reason), format, args);
	va_end(args);
}
