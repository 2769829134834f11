/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <inttypes.h>
#include <stdio.h>

#include <collector/kit/address.h>
#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND)
#define SHOWN_MAX 80 /* Bytes of a line. */

static const struct {
	const char *name, *text;
} reasons[REFUSED_REASONS] = {
	[REFUSED_FORM] = { "form", "it has not the words of a line" },
	[REFUSED_VALUE] = { "value", "its value is not a number" },
	[REFUSED_UNKNOWN] = { "unknown", "its value is not known" },
	[REFUSED_TIME] = { "time", "its time is none" },
	[REFUSED_FUTURE] = { "future",
			     "its time is more than ten minutes ahead" },
	[REFUSED_NAME] = { "name", "no name can be made of its path" },
	[REFUSED_SERIES] = { "series",
			     "its series may not be made: its name is wrong, "
			     "or MaxSeriesPerClient, MaxNewSeriesPerClient or "
			     "SeriesLimit is reached" },
	[REFUSED_KIND] = { "kind", "it is a counter, and its value not whole" },
	[REFUSED_PICKLE] = { "pickle", "a pickle is refused" },
	[REFUSED_FRAME] = { "frame", "a pickle is longer than MaxFrameSize" },
	[REFUSED_MEMORY] = { "memory", "pickles need more than MaxMemory" },
	[REFUSED_CLIENT] = { "clients", "MaxClients or MaxClientsPerAddress "
					"is reached" },
	[REFUSED_SLOW] = { "slow", "the rest of a line or pickle did not "
				   "come" },
	[REFUSED_CUT] = { "oversized",
			  "a datagram is longer than 65,535 bytes" },
	[REFUSED_DROPPED] = { "overflow", "the kernel's buffer was full, see "
					  "ReceiveBuffer" },
};

/* What can be shown of a line. */
static void copy_text(const struct refused_what *what, char out[SHOWN_MAX + 1])
{
	size_t size = what->size < SHOWN_MAX ? what->size : SHOWN_MAX;

	for (size_t i = 0; i < size; i++)
		out[i] = what->text[i] >= ' ' && what->text[i] <= '~'
				 ? what->text[i]
				 : '?';
	out[size] = '\0';
}

void refused_add(struct refused *refused, struct mc_ctx *ctx,
		 enum refused_reason reason, const struct refused_what *what)
{
	char address[MC_ADDRESS_TEXT_SIZE] = "the kernel";
	char text[SHOWN_MAX + 1] = "";
	uint64_t total =
		atomic_fetch_add(&refused->counts[reason], what->number) +
		what->number;

	if (!mc_once_in(&refused->logged[reason], mc_now(), PAUSE))
		return;
	if (what->sender != NULL)
		mc_address_text(what->sender, address);
	if (what->text != NULL)
		copy_text(what, text);
	mc_log(ctx, MC_WARN,
	       "refuses what %s sends: %s%s%s%s (%" PRIu64 " so far)", address,
	       reasons[reason].text, text[0] != '\0' ? ": '" : "", text,
	       text[0] != '\0' ? "'" : "", total);
}

static void put_total(struct mc_batch *batch, const char *type,
		      const char *instance, uint64_t total)
{
	const struct mc_id id = { .type = type, .type_instance = instance };

	mc_derive(batch, mc_series(batch, id), (int64_t)total);
}

void refused_report(const struct refused *refused, struct mc_batch *batch)
{
	put_total(batch, "total_bytes", "received", refused->octets);
	put_total(batch, "total_values", "accepted", refused->points);
	mc_gauge(batch, mc_series(batch, MC_ID(.type = "current_connections")),
		 (double)refused->clients);
	for (unsigned i = 0; i < REFUSED_REASONS; i++)
		put_total(batch, "errors", reasons[i].name, refused->counts[i]);
}
