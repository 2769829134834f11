/* SPDX-License-Identifier: MIT */
#include "kit/base/report.h"

#include <math.h>
#include <string.h>

#include <collector/label.h>
#include <collector/metadata.h>
#include <collector/metric.h>
#include <collector/private/alerts.h>
#include <collector/private/status.h>

/* --- Pairs ---------------------------------------------------------------- */

static void text(struct mc_report *report, const char *key, const char *value)
{
	report->calls->text(report, key, value);
}

static void count(struct mc_report *report, const char *key, uint64_t value)
{
	report->calls->count(report, key, value);
}

static void whole(struct mc_report *report, const char *key, int64_t value)
{
	report->calls->whole(report, key, value);
}

static void number(struct mc_report *report, const char *key, double value)
{
	report->calls->number(report, key, value);
}

static void seconds(struct mc_report *report, const char *key, mc_time value)
{
	report->calls->seconds(report, key, value);
}

static void truth(struct mc_report *report, const char *key, bool value)
{
	report->calls->truth(report, key, value);
}

static void begin(struct mc_report *report, const char *about)
{
	report->calls->begin(report, about);
}

static void end(struct mc_report *report)
{
	report->calls->end(report);
}

/* --- The collector -------------------------------------------------------- */

void mc_report_collector(struct mc_ctx *ctx, struct mc_report *report)
{
	struct mc_status status;

	mc_status(ctx, &status);
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
	count(report, "rules", status.rules);
	count(report, "samples", status.samples);
	count(report, "samples_refused", status.samples_refused);
	count(report, "samples_filtered", status.samples_filtered);
	count(report, "samples_late", status.samples_late);
	count(report, "notices", status.notifications);
	count(report, "threads", status.threads);
	count(report, "threads_stuck", status.threads_stuck);
	end(report);
}

void mc_report_reload(struct mc_ctx *ctx, struct mc_report *report)
{
	struct mc_status status;

	mc_status(ctx, &status);
	if (status.reload.count == 0)
		return;
	begin(report, "reload");
	count(report, "count", status.reload.count);
	count(report, "refused", status.reload.refused);
	seconds(report, "time", status.reload.time);
	text(report, "failure", status.reload.failure);
	end(report);
}

void mc_report_journal(struct mc_ctx *ctx, struct mc_report *report)
{
	struct mc_status status;

	mc_status(ctx, &status);
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
	struct mc_report *report = argument;

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

void mc_report_readers(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_reader(ctx, add_reader, report);
}

static void add_writer(void *argument, const struct mc_writer_status *writer)
{
	struct mc_report *report = argument;

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

void mc_report_writers(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_writer(ctx, add_writer, report);
}

static void add_quota(void *argument, const struct mc_quota_status *quota)
{
	static const char *const kinds[] = {
		[MC_QUOTA_CLIENT] = "client",
		[MC_QUOTA_SOURCE] = "source",
		[MC_QUOTA_CROWD] = "crowd",
		[MC_QUOTA_TENANT] = "tenant",
	};
	struct mc_report *report = argument;

	begin(report, "quota");
	text(report, "plugin", quota->plugin);
	text(report, "name", quota->name);
	text(report, "kind", kinds[quota->kind]);
	count(report, "series", quota->series);
	count(report, "series_limit", quota->series_limit);
	count(report, "series_refused", quota->series_refused);
	count(report, "metadata", quota->metadata);
	count(report, "metadata_limit", quota->metadata_limit);
	count(report, "metadata_bytes", quota->metadata_bytes);
	count(report, "metadata_bytes_limit", quota->metadata_bytes_limit);
	count(report, "metadata_refused", quota->metadata_refused);
	end(report);
}

void mc_report_quotas(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_quota(ctx, add_quota, report);
}

static void add_alert(void *argument, const char *judge, const struct mc_alert *alert)
{
	struct mc_report *report = argument;

	begin(report, "alert");
	text(report, "series", alert->series);
	text(report, "state", mc_state_name(alert->state));
	truth(report, "missing", alert->missing);
	seconds(report, "since", alert->since);
	text(report, "judge", judge);
	text(report, "reason", alert->reason);
	if (alert->rule != NULL)
		text(report, "rule", alert->rule);
	if (alert->advice != NULL)
		text(report, "advice", alert->advice);
	if (alert->acknowledged != NULL) {
		seconds(report, "acknowledged", alert->acknowledged_since);
		text(report, "acknowledgement", alert->acknowledged);
	}
	if (alert->silenced_until != 0)
		seconds(report, "silenced_until", alert->silenced_until);
	end(report);
}

void mc_report_alerts(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_alert(ctx, add_alert, report);
}

static void add_past_alert(void *argument, const struct mc_past_alert *alert)
{
	struct mc_report *report = argument;

	begin(report, "past_alert");
	seconds(report, "time", alert->time);
	text(report, "series", alert->series);
	text(report, "state", mc_severity_name(alert->severity));
	text(report, "reason", alert->reason);
	end(report);
}

void mc_report_past_alerts(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_past_alert(ctx, add_past_alert, report);
}

static void add_silence(void *argument, const struct mc_silence *silence)
{
	struct mc_report *report = argument;

	begin(report, "silence");
	text(report, "pattern", silence->pattern);
	seconds(report, "begin", silence->begin);
	seconds(report, "until", silence->until);
	text(report, "reason", silence->reason);
	end(report);
}

void mc_report_silences(struct mc_ctx *ctx, struct mc_report *report)
{
	mc_each_silence(ctx, add_silence, report);
}

/* --- A series ------------------------------------------------------------ */

/* The type that the name ends with; NULL if it is unknown. */
static const struct mc_type *named_type(struct mc_ctx *ctx, const struct mc_name_parts *parts)
{
	const char *type = strrchr(parts->name, '/');
	char name[128];

	if (type == NULL || parts->type_size >= sizeof(name))
		return NULL;
	memcpy(name, type + 1, parts->type_size);
	name[parts->type_size] = '\0';
	return mc_type_find(ctx, name);
}

bool mc_report_find(struct mc_ctx *ctx, const struct mc_name_parts *parts,
		    struct mc_report_series *found)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, parts->name, strlen(parts->name));

	*found = (struct mc_report_series){ .parts = parts, .type = named_type(ctx, parts) };
	if (series != NULL) {
		found->type = mc_type(series); /* In the unit of this one. */
		mc_latest(reading, series, &found->latest);
	}
	mc_read_end(reading);
	found->known = found->latest.time != 0;
	return found->type != NULL;
}

void mc_report_series(struct mc_report *report, const struct mc_report_series *series)
{
	const struct mc_latest *latest = &series->latest;

	begin(report, "series");
	text(report, "name", series->parts->name);
	truth(report, "known", series->known);
	if (series->known) {
		text(report, "made_by", latest->made_by);
		seconds(report, "interval", latest->interval);
		seconds(report, "time", latest->time);
		truth(report, "missing", latest->missing);
		text(report, "state", mc_state_name(latest->state));
	}
	end(report);
}

void mc_report_type(struct mc_report *report, const struct mc_report_series *series)
{
	begin(report, "type");
	text(report, "name", series->type->name);
	text(report, "unit", series->type->unit);
	text(report, "help", series->type->help);
	end(report);
}

/* The raw value of the source's kind. */
static void raw(struct mc_report *report, enum mc_kind kind, const union mc_value *value)
{
	switch (kind) {
	case MC_GAUGE:
		number(report, "value", value->gauge);
		return;
	case MC_DERIVE:
		whole(report, "value", value->derive);
		return;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		count(report, "value", value->counter);
		return;
	}
}

void mc_report_sources(struct mc_report *report, const struct mc_report_series *series)
{
	static const char *const kinds[] = { "COUNTER", "GAUGE", "DERIVE", "ABSOLUTE" };

	for (unsigned i = 0; i < series->type->sources_len; i++) {
		const struct mc_source *source = &series->type->sources[i];

		begin(report, "source");
		text(report, "name", source->name);
		text(report, "kind", kinds[source->kind]);
		number(report, "min", source->min);
		number(report, "max", source->max);
		if (series->known && i < series->latest.values_len) {
			raw(report, source->kind, &series->latest.values[i]);
			number(report, "rate", series->latest.rates[i]);
		}
		end(report);
	}
}

static void bounds(struct mc_report *report, const char *min, const char *max,
		   const struct mc_bounds *bounds)
{
	if (!isnan(bounds->min))
		number(report, min, bounds->min);
	if (!isnan(bounds->max))
		number(report, max, bounds->max);
}

void mc_report_metadata_of(struct mc_report *report, const char *source,
			   const struct mc_metadata *metadata)
{
	text(report, "source", source);
	text(report, "label", metadata->label);
	text(report, "unit", metadata->unit);
	bounds(report, "warning_min", "warning_max", &metadata->warning);
	bounds(report, "failure_min", "failure_max", &metadata->failure);
	if (metadata->warning_inverted)
		truth(report, "warning_inverted", true);
	if (metadata->failure_inverted)
		truth(report, "failure_inverted", true);
	if (metadata->unknown_after > 0)
		count(report, "unknown_after", metadata->unknown_after);
}

static void add_metadata(struct mc_report *report, const char *source,
			 const struct mc_metadata *metadata)
{
	begin(report, "metadata");
	mc_report_metadata_of(report, source, metadata);
	end(report);
}

static void add_attributes(struct mc_report *report, const char *source,
			   const struct mc_metadata *metadata)
{
	for (size_t i = 0; i < metadata->attributes_len; i++) {
		begin(report, "attribute");
		text(report, "source", source);
		text(report, "name", metadata->attributes[i].name);
		text(report, "value", metadata->attributes[i].value);
		end(report);
	}
}

/* Calls 'add' for each source of which something is known. */
static void each_metadata(struct mc_ctx *ctx, struct mc_report *report,
			  const struct mc_report_series *named,
			  void (*add)(struct mc_report *, const char *source,
				      const struct mc_metadata *))
{
	const char *name = named->parts->name;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));

	for (unsigned i = 0; series != NULL && i < named->type->sources_len; i++) {
		const struct mc_metadata *metadata = mc_get_metadata(series, i);

		if (metadata != NULL)
			add(report, named->type->sources[i].name, metadata);
		mc_release_metadata(metadata);
	}
	mc_read_end(reading);
}

void mc_report_metadata(struct mc_ctx *ctx, struct mc_report *report,
			const struct mc_report_series *named)
{
	each_metadata(ctx, report, named, add_metadata);
}

void mc_report_attributes(struct mc_ctx *ctx, struct mc_report *report,
			  const struct mc_report_series *named)
{
	each_metadata(ctx, report, named, add_attributes);
}

/* False if its sender has not called it anything else. */
static bool get_metric(struct mc_ctx *ctx, const struct mc_report_series *named,
		       struct mc_metric *metric)
{
	const char *name = named->parts->name;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));
	bool found = series != NULL && mc_get_metric(series, metric);

	mc_read_end(reading);
	return found;
}

void mc_report_metric_of(struct mc_report *report, const struct mc_metric *metric)
{
	static const char *const kinds[] = {
		[MC_METRIC_GAUGE] = "gauge",
		[MC_METRIC_COUNTER] = "counter",
		[MC_METRIC_UP_DOWN_COUNTER] = "up-down counter",
		[MC_METRIC_HISTOGRAM] = "histogram",
		[MC_METRIC_EXPONENTIAL_HISTOGRAM] = "exponential histogram",
		[MC_METRIC_SUMMARY] = "summary",
	};
	static const char *const parts[] = {
		[MC_METRIC_VALUE] = "value",       [MC_METRIC_COUNT] = "count",
		[MC_METRIC_SUM] = "sum",           [MC_METRIC_MIN] = "min",
		[MC_METRIC_MAX] = "max",           [MC_METRIC_BUCKET] = "bucket",
		[MC_METRIC_QUANTILE] = "quantile",
	};

	text(report, "name", metric->name);
	text(report, "kind", kinds[metric->kind]);
	text(report, "part", parts[metric->part]);
	if (metric->part == MC_METRIC_BUCKET || metric->part == MC_METRIC_QUANTILE)
		number(report, "bound", metric->bound);
	truth(report, "delta", metric->delta);
	text(report, "scope", metric->scope);
}

void mc_report_metric(struct mc_ctx *ctx, struct mc_report *report,
		      const struct mc_report_series *named)
{
	struct mc_metric metric;

	if (!get_metric(ctx, named, &metric))
		return;
	if (metric.name[0] != '\0') {
		begin(report, "metric");
		mc_report_metric_of(report, &metric);
		end(report);
	}
	mc_release_metric(&metric);
}

static void add_metric_labels(struct mc_report *report, const char *of,
			      const struct mc_metric_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++) {
		begin(report, "metric_label");
		text(report, "of", of);
		text(report, "name", labels->items[i].name);
		text(report, "value", labels->items[i].value);
		end(report);
	}
}

void mc_report_metric_labels(struct mc_ctx *ctx, struct mc_report *report,
			     const struct mc_report_series *named)
{
	struct mc_metric metric;

	if (!get_metric(ctx, named, &metric))
		return;
	add_metric_labels(report, "point", &metric.labels);
	add_metric_labels(report, "resource", &metric.resource);
	add_metric_labels(report, "scope", &metric.scope_labels);
	mc_release_metric(&metric);
}

static void add_label(void *argument, const struct mc_field *label)
{
	struct mc_report *report = argument;

	begin(report, "label");
	text(report, "name", label->name);
	text(report, "value", label->value);
	end(report);
}

void mc_report_labels(struct mc_ctx *ctx, struct mc_report *report,
		      const struct mc_report_series *series)
{
	char host[128];
	const struct mc_name_parts *parts = series->parts;

	if (parts->host_size >= sizeof(host))
		return;
	memcpy(host, parts->name, parts->host_size);
	host[parts->host_size] = '\0';
	mc_each_label(ctx, host, add_label, report);
}

static void add_explanation(void *argument, const char *judge, const char *explanation)
{
	struct mc_report *report = argument;

	begin(report, "judge");
	text(report, "name", judge);
	text(report, "text", explanation);
	end(report);
}

void mc_report_judges(struct mc_ctx *ctx, struct mc_report *report,
		      const struct mc_report_series *named)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, named->parts->name, strlen(named->parts->name));

	if (series != NULL)
		mc_each_explanation(ctx, series, add_explanation, report);
	mc_read_end(reading);
}

static void add_destination(void *argument, const char *writer, const char *where)
{
	struct mc_report *report = argument;

	begin(report, "destination");
	text(report, "writer", writer);
	text(report, "where", where);
	end(report);
}

void mc_report_destinations(struct mc_ctx *ctx, struct mc_report *report,
			    const struct mc_report_series *series)
{
	mc_each_destination(ctx, series->parts->name, add_destination, report);
}

static void add_keeper(void *argument, const struct mc_keeper *keeper)
{
	struct mc_report *report = argument;

	begin(report, "keeper");
	text(report, "writer", keeper->writer);
	truth(report, "has", keeper->has);
	text(report, "why", keeper->why);
	end(report);
}

void mc_report_keepers(struct mc_ctx *ctx, struct mc_report *report,
		       const struct mc_report_series *series)
{
	mc_each_keeper(ctx, series->parts->name, add_keeper, report);
}
