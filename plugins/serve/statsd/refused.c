/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <inttypes.h>
#include <stdio.h>

#include <collector/kit/address.h>
#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND)

static const struct {
	const char *name, *text;
} reasons[REFUSED_REASONS] = {
	[LINE_FORM] = { "form", "it is not NAME:VALUE|TYPE" },
	[LINE_NAME] = { "name", "its name is empty or has control characters" },
	[LINE_VALUE] = { "value", "its value is not a number that is allowed" },
	[LINE_TYPE] = { "type", "its type is not c, g, ms or s" },
	[LINE_RATE] = { "rate", "its sample rate is wrong" },
	[LINE_TAGS] = { "tags",
			"it has too many tags, or control characters in them" },
	[LINE_UNSUPPORTED] = { "unsupported", "it has what is not supported" },
	[REFUSED_LIMIT] = { "metric_limit", "MetricLimit is reached" },
	[REFUSED_SENDER] = { "sender_limit",
			     "its sender makes more new metrics than "
			     "SenderMetricLimit allows" },
	[REFUSED_TAKEN] = { "taken", "another metric has that series" },
	[REFUSED_SET] = { "set_limit", "SetMemberLimit is reached" },
	[REFUSED_SUM] = { "sum", "the sum is too large" },
	[REFUSED_CUT] = { "oversized", "a packet is longer than 65,535 bytes" },
	[REFUSED_OVERFLOW] = { "overflow", "the kernel's buffer was full, see "
					   "ReceiveBuffer" },
};

/* Whether it is to be logged; '*total' is how many there are by now. */
static bool add(struct refused *refused, enum refused_reason reason,
		uint64_t number, uint64_t *total)
{
	*total = atomic_fetch_add(&refused->counts[reason], number) + number;
	return mc_once_in(&refused->logged[reason], mc_now(), PAUSE);
}

void refused_add(struct refused *refused, struct mc_ctx *ctx,
		 enum refused_reason reason,
		 const struct sockaddr_storage *sender, const char *text)
{
	char address[MC_ADDRESS_TEXT_SIZE];
	uint64_t total;

	if (!add(refused, reason, 1, &total))
		return;
	mc_address_text(sender, address);
	if (text != NULL)
		mc_log(ctx, MC_WARN,
		       "refuses a line '%.64s' of %s: %s (%" PRIu64 " so far)",
		       text, address, reasons[reason].text, total);
	else
		mc_log(ctx, MC_WARN,
		       "refuses a part of a packet of %s: %s (%" PRIu64
		       " so far)",
		       address, reasons[reason].text, total);
}

void refused_overflow(struct refused *refused, struct mc_ctx *ctx,
		      uint64_t packets)
{
	uint64_t total;

	if (add(refused, REFUSED_OVERFLOW, packets, &total))
		mc_log(ctx, MC_WARN,
		       "the kernel dropped %" PRIu64 " packets: %s", total,
		       reasons[REFUSED_OVERFLOW].text);
}

static void put_total(struct mc_batch *batch, const char *type,
		      const char *instance, uint64_t total)
{
	const struct mc_id id = { .type = type, .type_instance = instance };

	mc_derive(batch, mc_series(batch, id), (int64_t)total);
}

void refused_report(const struct refused *refused, struct mc_batch *batch,
		    uint64_t waiting)
{
	put_total(batch, "total_values", "accepted", refused->lines);
	mc_gauge(batch, mc_series(batch, MC_ID(.type = "queue_length")),
		 (double)waiting);
	for (unsigned i = LINE_GOOD + 1; i < REFUSED_REASONS; i++)
		put_total(batch, "errors", reasons[i].name, refused->counts[i]);
}
