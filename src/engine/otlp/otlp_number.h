/* SPDX-License-Identifier: MIT */
/* The number of a data point: whole, with a fraction, or unknown.  Pure functions.
 * Facts: metrics.proto of opentelemetry-proto 1.x, "NumberDataPoint". */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <collector/plugin.h>

#include "formats/otlp/otlp_message.h"

struct otlp_number {
	unsigned field; /* OTLP_POINT_INT, _DOUBLE, or _FLAGS: unknown. */
	uint64_t bits;
};

/* The value, divided; 'integer': whole numbers are written as such, and counts as they are. */
static inline struct otlp_number otlp_number(enum mc_kind kind, union mc_value value,
					     double divisor, bool integer)
{
	struct otlp_number out = { .field = OTLP_POINT_DOUBLE };
	double number;

	if (kind != MC_GAUGE && integer)
		return (struct otlp_number){ OTLP_POINT_INT, value.counter };
	number = (kind == MC_GAUGE ? value.gauge : (double)value.derive) / divisor;
	if (isnan(number))
		return (struct otlp_number){ OTLP_POINT_FLAGS, OTLP_NO_VALUE };
	if (integer && fabs(number) < 0x1p63 && number == (double)(int64_t)number)
		return (struct otlp_number){ OTLP_POINT_INT, (uint64_t)(int64_t)number };
	memcpy(&out.bits, &number, sizeof(number));
	return out;
}
