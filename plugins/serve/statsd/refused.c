/* SPDX-License-Identifier: MIT */
#include "refused.h"

const struct mc_refusal refused_reasons[REFUSED_REASONS] = {
	[LINE_FORM] = { "form", "it is not NAME:VALUE|TYPE" },
	[LINE_NAME] = { "name", "its name is empty or has control characters" },
	[LINE_VALUE] = { "value", "its value is not a number that is allowed" },
	[LINE_TYPE] = { "type", "its type is not c, g, ms or s" },
	[LINE_RATE] = { "rate", "its sample rate is wrong" },
	[LINE_TAGS] = { "tags", "it has too many tags, or control characters in them" },
	[LINE_UNSUPPORTED] = { "unsupported", "it has what is not supported" },
	[REFUSED_LIMIT] = { "metric_limit", "MetricLimit is reached" },
	[REFUSED_SENDER] = { "sender_limit", "its sender makes more new metrics than "
					     "SenderMetricLimit allows" },
	[REFUSED_TAKEN] = { "taken", "another metric has that series" },
	[REFUSED_SET] = { "set_limit", "SetMemberLimit is reached" },
	[REFUSED_SUM] = { "sum", "the sum is too large" },
	[REFUSED_CUT] = { "oversized", "a packet is longer than 65,535 bytes" },
	[REFUSED_OVERFLOW] = { "overflow", "the kernel's buffer was full, see "
					   "ReceiveBuffer" },
};
