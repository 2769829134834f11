/* SPDX-License-Identifier: MIT */
/* STATUS, EXPLAIN and ALERTS.  Each line is about one thing: what it is, then
 * pairs of key and value, described in manual.txt.  Durations that can be short
 * are in nanoseconds, all other times in seconds. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/label.h>
#include <collector/plaintext.h>
#include <collector/serve.h>

#define LINE_ROOM 16384 /* A path and a failure fit. */

struct report {
	struct mc_ctx *ctx;
	struct reply *reply;
	struct mc_plain_line line;
	unsigned len; /* Lines. */
	char buffer[LINE_ROOM];
};

static void begin(struct report *report, const char *about)
{
	report->line = mc_plain_line(report->buffer, LINE_ROOM, about);
}

static void end(struct report *report)
{
	reply_add(report->reply, report->line.text, report->line.size);
	reply_add(report->reply, "\n", 1);
	report->len++;
}

static void text(struct report *report, const char *key, const char *value)
{
	mc_plain_add_text(&report->line, key, value);
}

static void count(struct report *report, const char *key, uint64_t value)
{
	mc_plain_add_count(&report->line, key, value);
}

static void seconds(struct report *report, const char *key, mc_time value)
{
	mc_plain_add_time(&report->line, key, value);
}

static void truth(struct report *report, const char *key, bool value)
{
	mc_plain_add_text(&report->line, key, value ? "true" : "false");
}

static void number(struct report *report, const char *key, double value)
{
	char gauge[MC_PLAIN_NUMBER_SIZE];

	mc_plain_gauge(gauge, sizeof(gauge), value);
	mc_plain_add_text(&report->line, key, gauge);
}

/* --- STATUS -------------------------------------------------------------- */

static void add_collector(struct report *report)
{
	struct mc_status status;

	mc_status(report->ctx, &status);
	begin(report, "collector");
	text(report, "version", status.version);
	text(report, "host", status.host);
	seconds(report, "started", status.started);
	count(report, "cpu_ns", (uint64_t)status.cpu);
	count(report, "memory", status.memory);
	count(report, "series", status.series);
	count(report, "series_limit", status.series_limit);
	count(report, "series_refused", status.series_refused);
	count(report, "series_warning", status.series_warning);
	count(report, "series_failure", status.series_failure);
	count(report, "samples", status.samples);
	count(report, "samples_refused", status.samples_refused);
	count(report, "samples_filtered", status.samples_filtered);
	count(report, "notices", status.notifications);
	count(report, "threads", status.threads);
	count(report, "threads_stuck", status.threads_stuck);
	end(report);
	if (status.reload.count > 0) {
		begin(report, "reload");
		count(report, "count", status.reload.count);
		count(report, "refused", status.reload.refused);
		seconds(report, "time", status.reload.time);
		text(report, "failure", status.reload.failure);
		end(report);
	}
	if (!status.journal.open)
		return;
	begin(report, "journal");
	truth(report, "failing", status.journal.failing);
	seconds(report, "failing_since", status.journal.failing_since);
	count(report, "queued", status.journal.queued);
	count(report, "bytes", status.journal.bytes);
	count(report, "limit_bytes", status.journal.limit_bytes);
	count(report, "records", status.journal.records);
	count(report, "bypassed", status.journal.bypassed);
	count(report, "damaged_bytes", status.journal.damaged_bytes);
	count(report, "failures", status.journal.failures);
	end(report);
}

static void add_reader(void *argument, const struct mc_reader_status *reader)
{
	struct report *report = argument;

	begin(report, "reader");
	text(report, "name", reader->name);
	seconds(report, "interval", reader->interval);
	seconds(report, "due", reader->due);
	count(report, "duration_ns", (uint64_t)reader->duration);
	count(report, "cpu_ns", (uint64_t)reader->cpu);
	count(report, "reads", reader->reads);
	count(report, "failures", reader->failures);
	count(report, "skipped", reader->skipped);
	count(report, "values", reader->values);
	count(report, "refused", reader->refused);
	truth(report, "stuck", reader->stuck);
	text(report, "failure", reader->failure);
	end(report);
}

static void add_writer(void *argument, const struct mc_writer_status *writer)
{
	struct report *report = argument;

	begin(report, "writer");
	text(report, "name", writer->name);
	count(report, "accepted", writer->accepted);
	count(report, "delivered", writer->delivered);
	count(report, "queued", writer->queued);
	count(report, "dropped_full", writer->dropped_full);
	count(report, "dropped_refused", writer->dropped_refused);
	count(report, "dropped_stop", writer->dropped_stop);
	count(report, "dropped_quota", writer->dropped_quota);
	count(report, "dropped_damaged", writer->dropped_damaged);
	truth(report, "durable", writer->durable);
	count(report, "queued_journal", writer->queued_journal);
	count(report, "queued_bytes", writer->queued_bytes);
	count(report, "limit_bytes", writer->limit_bytes);
	count(report, "lost_notices", writer->lost_notifications);
	count(report, "suppressed_notices", writer->suppressed_notifications);
	count(report, "cpu_ns", (uint64_t)writer->cpu);
	count(report, "failures", writer->failures);
	text(report, "failure", writer->failure);
	end(report);
}

static void finish(struct report *report, size_t start)
{
	char head[64];
	int size = snprintf(head, sizeof(head), "%u Line%s found\n",
			    report->len, report->len == 1 ? "" : "s");

	reply_insert(report->reply, start, head, (size_t)size);
}

void report_status(struct mc_ctx *ctx, struct reply *reply)
{
	struct report report;
	size_t start = reply->size;

	report.ctx = ctx;
	report.reply = reply;
	report.len = 0;
	add_collector(&report);
	mc_each_reader(ctx, add_reader, &report);
	mc_each_writer(ctx, add_writer, &report);
	finish(&report, start);
}

/* --- EXPLAIN ------------------------------------------------------------- */

static const char *const kinds[] = { "COUNTER", "GAUGE", "DERIVE", "ABSOLUTE" };

/* Writes the raw value of the source's kind. */
static void raw(struct report *report, enum mc_kind kind,
		const union mc_value *value)
{
	char digits[MC_PLAIN_NUMBER_SIZE];

	switch (kind) {
	case MC_GAUGE:
		number(report, "value", value->gauge);
		return;
	case MC_DERIVE:
		snprintf(digits, sizeof(digits), "%lld",
			 (long long)value->derive);
		text(report, "value", digits);
		return;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		count(report, "value", value->counter);
		return;
	}
}

static void add_type(struct report *report, const struct mc_type *type,
		     const struct mc_latest *latest)
{
	begin(report, "type");
	text(report, "name", type->name);
	text(report, "unit", type->unit);
	text(report, "help", type->help);
	end(report);
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];

		begin(report, "source");
		text(report, "name", source->name);
		text(report, "kind", kinds[source->kind]);
		number(report, "min", source->min);
		number(report, "max", source->max);
		if (latest != NULL && i < latest->values_len) {
			raw(report, source->kind, &latest->values[i]);
			number(report, "rate", latest->rates[i]);
		}
		end(report);
	}
}

static void add_destination(void *argument, const char *writer,
			    const char *where)
{
	struct report *report = argument;

	begin(report, "destination");
	text(report, "writer", writer);
	text(report, "where", where);
	end(report);
}

static void add_explanation(void *argument, const char *judge,
			    const char *explanation)
{
	struct report *report = argument;

	begin(report, "judge");
	text(report, "name", judge);
	text(report, "text", explanation);
	end(report);
}

static void add_label(void *argument, const struct mc_field *label)
{
	struct report *report = argument;

	begin(report, "label");
	text(report, "name", label->name);
	text(report, "value", label->value);
	end(report);
}

/* Of the host that the series is of. */
static void add_labels(struct report *report, const struct mc_name_parts *parts)
{
	char host[128];

	if (parts->host_size >= sizeof(host))
		return;
	memcpy(host, parts->name, parts->host_size);
	host[parts->host_size] = '\0';
	mc_each_label(report->ctx, host, add_label, report);
}

/* The type that the name ends with; NULL if there is none. */
static const struct mc_type *named_type(struct mc_ctx *ctx,
					const struct mc_name_parts *parts)
{
	const char *type = strrchr(parts->name, '/');
	char name[128];

	if (type == NULL || parts->type_size >= sizeof(name))
		return NULL;
	memcpy(name, type + 1, parts->type_size);
	name[parts->type_size] = '\0';
	return mc_type_find(ctx, name);
}

static void add_series(struct report *report, const char *name,
		       const struct mc_latest *latest)
{
	begin(report, "series");
	text(report, "name", name);
	truth(report, "known", latest != NULL);
	if (latest != NULL) {
		text(report, "made_by", latest->made_by);
		seconds(report, "interval", latest->interval);
		seconds(report, "time", latest->time);
		truth(report, "missing", latest->missing);
		text(report, "state", mc_state_name(latest->state));
	}
	end(report);
}

static void add_judges(struct report *report, const struct mc_name_parts *parts)
{
	struct mc_batch *batch = mc_begin(report->ctx); /* It lives so long. */
	struct mc_series *series =
		mc_find(batch, parts->name, strlen(parts->name));

	if (series != NULL)
		mc_each_explanation(report->ctx, series, add_explanation,
				    report);
	mc_discard(batch);
}

void report_series(struct mc_ctx *ctx, struct reply *reply,
		   const struct mc_name_parts *parts)
{
	struct mc_batch *batch = mc_begin(ctx);
	struct mc_series *series =
		mc_find(batch, parts->name, strlen(parts->name));
	const struct mc_type *type = named_type(ctx, parts);
	struct mc_latest latest = { .time = 0 };
	bool known;
	struct report report;
	size_t start = reply->size;

	if (series != NULL)
		mc_latest(batch, series, &latest);
	mc_discard(batch);
	known = latest.time != 0;
	if (type == NULL) {
		reply_print(reply, "-1 No such value.\n");
		return;
	}
	report.ctx = ctx;
	report.reply = reply;
	report.len = 0;
	add_series(&report, parts->name, known ? &latest : NULL);
	add_type(&report, type, known ? &latest : NULL);
	add_labels(&report, parts);
	add_judges(&report, parts);
	mc_each_destination(ctx, parts->name, add_destination, &report);
	finish(&report, start);
}

/* --- ALERTS -------------------------------------------------------------- */

static void add_alert(void *argument, const char *judge,
		      const struct mc_alert *alert)
{
	struct report *report = argument;

	begin(report, "alert");
	text(report, "series", alert->series);
	text(report, "state", mc_state_name(alert->state));
	truth(report, "missing", alert->missing);
	seconds(report, "since", alert->since);
	text(report, "judge", judge);
	text(report, "reason", alert->reason);
	end(report);
}

void report_alerts(struct mc_ctx *ctx, struct reply *reply)
{
	struct report report;
	size_t start = reply->size;

	report.ctx = ctx;
	report.reply = reply;
	report.len = 0;
	mc_each_alert(ctx, add_alert, &report);
	finish(&report, start);
}
