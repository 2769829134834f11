/* SPDX-License-Identifier: MIT */
/* STATUS, EXPLAIN and ALERTS: records of <kit/base/report.h>, a line each,
 * described in manual.txt. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/plaintext/plaintext.h"
#include "kit/base/report.h"

#define LINE_ROOM 16384 /* A path and a failure fit. */

struct report {
	struct mc_report base; /* First: the rest is found by it. */
	struct mc_buffer *reply;
	size_t start; /* Of the first line. */
	struct mc_plain_line line;
	unsigned len; /* Lines. */
	char buffer[LINE_ROOM];
};

static struct mc_plain_line *line_of(struct mc_report *base)
{
	return &((struct report *)base)->line;
}

static void begin(struct mc_report *base, const char *about)
{
	struct report *report = (struct report *)base;

	report->line = mc_plain_line(report->buffer, LINE_ROOM, about);
}

static void text(struct mc_report *base, const char *key, const char *value)
{
	mc_plain_add_text(line_of(base), key, value);
}

static void count(struct mc_report *base, const char *key, uint64_t value)
{
	mc_plain_add_count(line_of(base), key, value);
}

static void whole(struct mc_report *base, const char *key, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	text(base, key, digits);
}

static void number(struct mc_report *base, const char *key, double value)
{
	char gauge[MC_PLAIN_NUMBER_SIZE];

	mc_plain_gauge(gauge, sizeof(gauge), value);
	text(base, key, gauge);
}

static void seconds(struct mc_report *base, const char *key, mc_time value)
{
	mc_plain_add_time(line_of(base), key, value);
}

static void truth(struct mc_report *base, const char *key, bool value)
{
	text(base, key, value ? "true" : "false");
}

static void end(struct mc_report *base)
{
	struct report *report = (struct report *)base;

	reply_add(report->reply, report->line.text, report->line.size);
	reply_add(report->reply, "\n", 1);
	report->len++;
}

static const struct mc_report_calls calls = {
	begin, text, count, whole, number, seconds, truth, end
};

static void open_report(struct report *report, struct mc_buffer *reply)
{
	report->base.calls = &calls;
	report->reply = reply;
	report->start = reply->size;
	report->len = 0;
}

/* Says how many lines there are, in front of them. */
static void close_report(struct report *report)
{
	char head[64];
	int size = snprintf(head, sizeof(head), "%u Line%s found\n", report->len,
			    report->len == 1 ? "" : "s");

	reply_insert(report->reply, report->start, head, (size_t)size);
}

void report_status(struct mc_ctx *ctx, struct mc_buffer *reply)
{
	struct report report;

	open_report(&report, reply);
	mc_report_collector(ctx, &report.base);
	mc_report_reload(ctx, &report.base);
	mc_report_journal(ctx, &report.base);
	mc_report_readers(ctx, &report.base);
	mc_report_writers(ctx, &report.base);
	mc_report_quotas(ctx, &report.base);
	close_report(&report);
}

struct about_series {
	struct errand base; /* First. */
	bool asks_writers;
	struct mc_name_parts parts;
	char name[];
};

static void explain(struct errand *errand, struct mc_ctx *ctx)
{
	const struct about_series *about = (struct about_series *)errand;
	struct mc_buffer *reply = &errand->reply;
	struct mc_report_series series;
	struct report report;

	if (!mc_report_find(ctx, &about->parts, &series)) {
		reply_print(reply, "-1 No such value.\n");
		return;
	}
	open_report(&report, reply);
	mc_report_series(&report.base, &series);
	mc_report_type(&report.base, &series);
	mc_report_sources(&report.base, &series);
	mc_report_metadata(ctx, &report.base, &series);
	mc_report_attributes(ctx, &report.base, &series);
	mc_report_metric(ctx, &report.base, &series);
	mc_report_metric_labels(ctx, &report.base, &series);
	mc_report_labels(ctx, &report.base, &series);
	mc_report_judges(ctx, &report.base, &series);
	mc_report_destinations(ctx, &report.base, &series);
	if (about->asks_writers)
		mc_report_keepers(ctx, &report.base, &series);
	close_report(&report);
}

struct errand *report_series(const struct mc_name_parts *parts, bool asks_writers)
{
	size_t size = strlen(parts->name) + 1;
	struct about_series *about = mc_alloc(sizeof(*about) + size);

	*about = (struct about_series){
		.base = { .run = explain },
		.asks_writers = asks_writers,
		.parts = *parts,
	};
	memcpy(about->name, parts->name, size);
	about->parts.name = about->name;
	return &about->base;
}

void report_alerts(struct mc_ctx *ctx, struct mc_buffer *reply)
{
	struct report report;

	open_report(&report, reply);
	mc_report_alerts(ctx, &report.base);
	close_report(&report);
}

void report_past_alerts(struct mc_ctx *ctx, struct mc_buffer *reply)
{
	struct report report;

	open_report(&report, reply);
	mc_report_past_alerts(ctx, &report.base);
	close_report(&report);
}

void report_silences(struct mc_ctx *ctx, struct mc_buffer *reply)
{
	struct report report;

	open_report(&report, reply);
	mc_report_silences(ctx, &report.base);
	close_report(&report);
}
