/* SPDX-License-Identifier: MIT */
#include "count.h"

#include <stdio.h>

#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND) /* Between two lines about one reason. */
#define NAME_SIZE 128

static const struct {
	const char *name; /* In the series' name. */
	const char *text;
} reasons[] = {
	[COUNT_FORM] = { "line_form", "a line is not of a known form" },
	[COUNT_TIME] = { "line_time", "a line has no time" },
	[COUNT_NAME] = { "line_name", "a line has no host or service" },
	[COUNT_CUT] = { "line_cut", "the last line has no end" },
	[COUNT_LONG] = { "line_long", "a line has more than 64 KiB" },
	[COUNT_FUTURE] = { "event_future", "an event is of the future" },
	[COUNT_OLD] = { "event_old", "an event is older than MaxAge" },
	[COUNT_NO_LABEL] = { "item_label", "an item has no label" },
	[COUNT_NO_VALUE] = { "item_value", "an item has no value" },
	[COUNT_NO_NUMBER] = { "item_number", "a value is not a number" },
	[COUNT_FIELDS] = { "item_fields", "an item has more than four fields after its value" },
	[COUNT_RANGE] = { "item_range", "a counter has more than 64 bits" },
	[COUNT_REPEATED] = { "item_repeated", "two items of an event make one series" },
	[COUNT_LABELS] = { "item_labels", "a service has more than 1024 labels" },
	[COUNT_SERIES] = { "item_series", "a series cannot be made" },
	[COUNT_UNREADABLE] = { "file_unreadable", "a file cannot be taken" },
	[COUNT_LIMIT] = { "file_limit", "files of more than SpoolLimit bytes wait, and the "
					"oldest is removed" },
};

void count_refuse(struct count *count, struct mc_ctx *ctx, enum count_reason reason,
		  const char *spool, const char *text)
{
	count_add(&count->refused[reason], 1);
	if (mc_once_in(&count->logged[reason], mc_now(), PAUSE))
		mc_log(ctx, MC_WARN, "cannot use all of '%s': %s: '%.200s' (%llu so far)", spool,
		       reasons[reason].text, text, (unsigned long long)count->refused[reason]);
}

static void put_level(struct mc_batch *batch, const char *type, const char *instance, double level)
{
	mc_put_gauge(batch, level, .type = type, .type_instance = instance);
}

/* A total is called "SPOOL-KEY". */
static void put_total(struct mc_batch *batch, const char *type, const char *spool, const char *key,
		      uint64_t total)
{
	char instance[NAME_SIZE];

	snprintf(instance, sizeof(instance), "%s-%s", spool, key);
	mc_put_derive(batch, (int64_t)total, .type = type, .type_instance = instance);
}

void count_report(const struct count *count, struct mc_batch *batch, const char *name, mc_time now)
{
	mc_time oldest = count->oldest;
	char instance[NAME_SIZE];

	snprintf(instance, sizeof(instance), "%s-unreadable", name);
	put_level(batch, "files", name, (double)count->files_waiting);
	put_level(batch, "files", instance, (double)count->files_unreadable);
	put_level(batch, "bytes", name, (double)count->bytes_waiting);
	put_level(batch, "duration", name,
		  oldest > 0 && now > oldest ? (double)(now - oldest) / (double)MC_SECOND : 0);
	put_total(batch, "total_objects", name, "files", count->files);
	put_total(batch, "total_bytes", name, "read", count->bytes);
	put_total(batch, "total_events", name, "events", count->events);
	put_total(batch, "total_values", name, "items", count->items);
	put_total(batch, "total_values", name, "unknown", count->unknown);
	put_total(batch, "total_values", name, "tolerated", count->tolerated);
	put_total(batch, "total_values", name, "ignored", count->ignored);
	for (unsigned i = 0; i < COUNT_REASONS; i++)
		put_total(batch, "errors", name, reasons[i].name, count->refused[i]);
}
