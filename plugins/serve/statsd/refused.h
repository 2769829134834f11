/* SPDX-License-Identifier: MIT */
/* Why something is refused. */
#pragma once

#include <collector/kit/refusals.h>

#include "formats/statsd/line.h"

enum refused_reason {                              /* After those of enum line_fault. */
		      REFUSED_LIMIT = LINE_FAULTS, /* MetricLimit. */
		      REFUSED_SENDER,              /* SenderMetricLimit. */
		      REFUSED_TAKEN,               /* Another metric has its series. */
		      REFUSED_SET,                 /* SetMemberLimit. */
		      REFUSED_SUM,                 /* Too large a sum. */
		      REFUSED_CUT,                 /* A datagram that is too long. */
		      REFUSED_OVERFLOW,            /* The kernel's buffer was full. */
		      REFUSED_REASONS,
};

extern const struct mc_refusal refused_reasons[REFUSED_REASONS];
