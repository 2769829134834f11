/* SPDX-License-Identifier: MIT */
/* Counters of the plugin.  The series are those of collectd 5.12, and beside them errors by
 * reason, each from the first on. */
#include "count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND) /* Between two lines about one reason. */

static const struct {
	const char *name; /* In the series' name. */
	const char *text;
} reasons[] = {
	[MC_BINARY_TRUNCATED] = { "truncated", "it ends too early" },
	[MC_BINARY_SIZE] = { "part_size", "a part has an impossible size" },
	[MC_BINARY_STRING] = { "string", "a text is too long or has no end" },
	[MC_BINARY_COUNT] = { "value_count", "a part has another number of "
					     "values than it says" },
	[MC_BINARY_KIND] = { "value_kind", "a value is of no known kind" },
	[MC_BINARY_NO_NOTICE] = { "notification", "a notification lacks host, time, message or "
						  "severity" },
	[MC_BINARY_MISPLACED] = { "misplaced", "a signature is not where it must be" },
	[COUNT_UNSIGNED] = { "unsigned", "it is not signed or encrypted as SecurityLevel "
					 "or AllowUnsigned demand" },
	[COUNT_NO_KEYS] = { "no_keys", "it is encrypted, and there is no AuthFile" },
	[COUNT_USER] = { "user", "the AuthFile has no such user" },
	[COUNT_FORGED] = { "forged", "it is forged, or the password is not "
				     "the one in AuthFile" },
	[COUNT_HOST] = { "host", "the user may not send for that host" },
	[COUNT_TYPE] = { "type", "no types.db knows the type" },
	[COUNT_MISMATCH] = { "mismatch", "the values are not those of the type "
					 "in types.db" },
	[COUNT_TIME] = { "time", "a time differs too much from the clock of "
				 "this host; replayed, or a clock is wrong" },
	[COUNT_INTERVAL] = { "interval", "an interval is longer than a year" },
	[COUNT_REPLAYED] = { "replayed", "a time is not newer than the last one of the "
					 "user and host before this collector was started, "
					 "or than the last one of the series before it "
					 "fell silent" },
	[COUNT_SENDER] = { "sender_limit", "its sender makes more new series "
					   "per hour than SenderSeriesLimit" },
	[COUNT_SERIES] = { "series", "a series cannot be made" },
	[COUNT_REPEATED] = { "repeated", "a notification has been here before" },
	[COUNT_NOTICES] = { "notices", "more than 4096 notifications came "
				       "within ten seconds" },
	[COUNT_STORM] = { "notice_limit", "its sender, or all that were not known before, cause "
					  "more notifications than NoticeLimit" },
	[COUNT_OVERSIZED] = { "oversized", "it is longer than MaxPacketSize" },
	[COUNT_OVERFLOW] = { "overflow", "the receive buffer was full" },
};

void count_init(struct count *count)
{
	pthread_mutex_init(&count->lock, NULL);
}

void count_done(struct count *count) MC_NO_LOCK
{
	pthread_mutex_destroy(&count->lock);
	for (unsigned i = 0; i < count->types_len; i++)
		free(count->types[i]);
}

/* Whether the type is one that has not been logged. */
static bool new_type(struct count *count, const char *type) MC_REQUIRES(count->lock)
{
	for (unsigned i = 0; i < count->types_len; i++)
		if (strcmp(count->types[i], type) == 0)
			return false;
	if (count->types_len == COUNT_TYPES_MAX)
		return false;
	count->types[count->types_len] = mc_alloc_copy(type);
	count->types_len++;
	return true;
}

static bool is_due(struct count *count, enum count_reason reason, const char *about)
{
	mc_time now = mc_now();
	bool due;

	pthread_mutex_lock(&count->lock);
	if (reason == COUNT_TYPE && new_type(count, about))
		count->logged[reason] = 0;
	due = mc_once_in(&count->logged[reason], now, PAUSE);
	pthread_mutex_unlock(&count->lock);
	return due;
}

void count_refuse(struct count *count, struct mc_ctx *ctx, enum count_reason reason,
		  const struct sockaddr_storage *sender, const char *about)
{
	uint64_t total = ++count->refused[reason];
	char address[MC_ADDRESS_TEXT_SIZE];
	char detail[160] = "";

	/* Two ways lead here, or it is our own that came back: as it should. */
	if (reason == COUNT_REPEATED || !is_due(count, reason, about))
		return;
	if (about != NULL)
		snprintf(detail, sizeof(detail), " ('%.128s')", about);
	mc_log(ctx, MC_WARN, "cannot use all of a packet from %s: %s%s (%llu so far)",
	       mc_address_text(sender, address), reasons[reason].text, detail,
	       (unsigned long long)total);
}

void count_overflow(struct count *count, struct mc_ctx *ctx, uint64_t packets)
{
	uint64_t total = atomic_fetch_add(&count->refused[COUNT_OVERFLOW], packets) + packets;

	if (is_due(count, COUNT_OVERFLOW, NULL))
		mc_log(ctx, MC_WARN, "the kernel dropped %llu packets: %s; see ReceiveBuffer",
		       (unsigned long long)total, reasons[COUNT_OVERFLOW].text);
}

static void put_pair(struct mc_batch *batch, const char *type, uint64_t first, uint64_t second)
{
	union mc_value values[] = { { .derive = (int64_t)first }, { .derive = (int64_t)second } };

	mc_put(batch, mc_series(batch, MC_ID(.type = type)), values, 2);
}

static void put_total(struct mc_batch *batch, const char *type, const char *instance,
		      uint64_t total)
{
	mc_put_derive(batch, (int64_t)total, .type = type, .type_instance = instance);
}

void count_report(const struct count *count, struct mc_batch *batch, uint64_t queued)
{
	put_pair(batch, "if_octets", count->received_octets, count->sent_octets);
	put_pair(batch, "if_packets", count->received_packets, count->sent_packets);
	put_total(batch, "total_values", "dispatch-accepted", count->accepted);
	put_total(batch, "total_values", "dispatch-rejected", count->rejected);
	put_total(batch, "total_values", "send-accepted", count->sent);
	put_total(batch, "total_values", "send-rejected", count->unsent);
	mc_put_gauge(batch, (double)queued, .type = "queue_length");
	for (unsigned i = 0; i < COUNT_REASONS; i++)
		if (count->refused[i] > 0)
			put_total(batch, "errors", reasons[i].name, count->refused[i]);
}
