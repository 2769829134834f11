/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <collector/kit/stream_server.h>

static const struct mc_refusal reasons[REFUSED_REASONS] = {
	[REFUSED_FORM] = { "form", "it has not the words of a line" },
	[REFUSED_VALUE] = { "value", "its value is not a number" },
	[REFUSED_UNKNOWN] = { "unknown", "its value is not known" },
	[REFUSED_TIME] = { "time", "its time is invalid" },
	[REFUSED_FUTURE] = { "future", "its time is more than a day ahead" },
	[REFUSED_NAME] = { "name", "no name can be made of its path" },
	[REFUSED_SERIES] = { "series", "its series may not be made: its name is wrong, "
				       "or MaxSeriesPerClient, MaxNewSeriesPerClient or "
				       "SeriesLimit is reached" },
	[REFUSED_KIND] = { "kind", "it is a counter, and its value not whole" },
	[REFUSED_PICKLE] = { "pickle", "a pickle is refused" },
	[REFUSED_FRAME] = { "frame", "a pickle is longer than MaxFrameSize" },
	[REFUSED_MEMORY] = { "memory", "pickles need more than MaxMemory" },
	[REFUSED_CLIENT] = { "clients", "MaxClients or MaxClientsPerAddress "
					"is reached" },
	[REFUSED_TLS] = { "tls", "its handshake of TLS failed, or is one too many" },
	[REFUSED_SLOW] = { "slow", "the rest of a line or pickle did not "
				   "come" },
	[REFUSED_CUT] = { "oversized", "a datagram is longer than 65,535 bytes" },
	[REFUSED_DROPPED] = { "overflow", "the kernel's buffer was full, see "
					  "ReceiveBuffer" },
};

void refused_init(struct refused *refused)
{
	refused->refusals.reasons = reasons;
	refused->refusals.len = REFUSED_REASONS;
}

static void put_total(struct mc_batch *batch, const char *type, const char *instance,
		      uint64_t total)
{
	mc_put_derive(batch, (int64_t)total, .type = type, .type_instance = instance);
}

void refused_report(const struct refused *refused, const struct mc_stream_server *streams,
		    struct mc_batch *batch)
{
	put_total(batch, "total_bytes", "received", refused->octets + streams->room.octets);
	put_total(batch, "total_values", "accepted", refused->points);
	mc_put_gauge(batch, (double)streams->len, .type = "current_connections");
	mc_refusals_report(&refused->refusals, batch);
}
