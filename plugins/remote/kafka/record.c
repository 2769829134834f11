/* SPDX-License-Identifier: MIT */
/* Facts: opentelemetry-proto 1.x; collectd.conf(5), "Plugin write_kafka". */
#include "record.h"

#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/writer.h>

#include "formats/collectd/value_list_read.h"
#include "formats/graphite/line.h"
#include "formats/otlp/otlp.h"

static const struct mc_type *find_type(void *argument, const char *name)
{
	const struct record_reader *reader = argument;

	return mc_type_find(reader->ctx, name);
}

/* Nearly every line is of a series that exists. */
static const struct mc_type *find_series(void *argument, const char *name, size_t size)
{
	struct record_reader *reader = argument;

	reader->series = mc_find_for(reader->batch, name, size);
	return reader->series != NULL ? mc_type(reader->series) : NULL;
}

void record_init(struct record_reader *reader, struct mc_ctx *ctx, size_t template_bytes)
{
	reader->ctx = ctx;
	mc_otlp_templates_init(&reader->templates, template_bytes);
	mc_host_labels_init(&reader->labels, ctx);
}

void record_done(struct record_reader *reader)
{
	mc_otlp_templates_done(&reader->templates);
	mc_host_labels_done(&reader->labels);
	mc_buffer_free(&reader->line);
}

enum record_format record_guess(const void *bytes, size_t size)
{
	static const char command[] = { 'P', 'U', 'T', 'V', 'A', 'L', ' ' };
	const char *text = bytes;

	if (size > 0 && text[0] == '\n') /* The tag of field 1, and not a line. */
		return RECORD_OTLP;
	if (size > 0 && (text[0] == '[' || text[0] == '{'))
		return RECORD_JSON;
	if (size > sizeof(command) && memcmp(text, command, sizeof(command)) == 0)
		return RECORD_COMMAND;
	return RECORD_GRAPHITE;
}

/* The first reason stays. */
static void reject(struct record_result *result, const char *why)
{
	result->rejected++;
	if (result->why == NULL)
		result->why = why;
}

/* --- OTLP ----------------------------------------------------------------- */

struct learning {
	struct mc_host_labels *labels;
	struct mc_host_streams streams;
};

static bool learn(void *argument, const struct mc_otlp_resource *resource)
{
	struct learning *learning = argument;

	return mc_host_labels_learn(learning->labels, &learning->streams, resource, NULL);
}

static bool put_otlp(struct record_reader *reader, struct mc_batch *batch,
		     const struct record *record, struct record_result *result)
{
	struct mc_otlp_owners owners = { 0 };
	struct learning learning = { &reader->labels, { .batch = batch } };
	const struct mc_otlp_request request = {
		.stamp = { mc_wall(), record->interval },
		.host = record->key,
		.bytes = record->bytes,
		.size = record->size,
		.owners = &owners,
	};
	struct mc_otlp_result found;
	bool good =
		mc_otlp_templates_put(&reader->templates, record->sender, batch, &request, &found);

	mc_otlp_owners_done(&owners);
	if (good && !mc_otlp_each_resource(&request, learn, &learning)) {
		good = false;
		found.why = "two processes have counted values of one guest";
	}
	mc_host_streams_done(&learning.streams);
	*result = (struct record_result){ .samples = found.samples, .rejected = found.rejected };
	if (found.why != NULL) {
		snprintf(result->text, sizeof(result->text), "%s", found.why);
		result->why = result->text;
	}
	return good;
}

/* --- JSON ----------------------------------------------------------------- */

struct putting {
	struct mc_ctx *ctx;
	struct mc_batch *batch;
	const struct record *record;
	struct record_result *result;
};

/* NULL: it is put. */
static const char *put_list(const struct putting *putting, const struct mc_value_list_in *list)
{
	const struct mc_type *type;
	union mc_value values[MC_SOURCES_MAX];
	struct mc_stamp stamp = { list->time, list->interval };
	struct mc_series *series;

	if (list->why != NULL)
		return list->why;
	type = mc_type_find(putting->ctx, list->id.type);
	if (type == NULL)
		return "its type is unknown";
	if (type->sources_len != list->values_len)
		return "it has not as many values as its type";
	for (unsigned i = 0; i < list->values_len; i++) {
		enum mc_kind kind = type->sources[i].kind;

		if (list->typed && (list->kinds[i] == MC_GAUGE) != (kind == MC_GAUGE))
			return "its dstypes are not those of its type";
		if (!mc_value_list_read_value(list, i, kind, &values[i]))
			return "a counter has no whole number: StoreRates of its sender is not "
			       "false";
	}
	series = mc_series(putting->batch, list->id);
	if (series == NULL)
		return "its series cannot be made";
	if (stamp.time == 0)
		stamp.time = mc_wall();
	if (stamp.interval == 0)
		stamp.interval = putting->record->interval;
	mc_put_at(putting->batch, series, stamp, values, type->sources_len);
	return NULL;
}

static bool take_list(void *argument, const struct mc_value_list_in *list)
{
	const struct putting *putting = argument;
	const char *why = put_list(putting, list);

	if (why != NULL)
		reject(putting->result, why);
	else
		putting->result->samples++;
	return true;
}

static bool put_json(struct record_reader *reader, struct mc_batch *batch,
		     const struct record *record, struct record_result *result)
{
	struct putting putting = { reader->ctx, batch, record, result };
	const char *why = mc_value_list_read(record->bytes, record->size, take_list, &putting);

	if (why != NULL)
		result->why = why;
	return why == NULL;
}

/* --- Lines ---------------------------------------------------------------- */

static void put_command(struct record_reader *reader, const struct record *record, const char *line,
			size_t size, struct record_result *result)
{
	const struct mc_plain_context context = {
		.now = mc_wall(),
		.interval = record->interval,
		.find = find_type,
		.known = find_series,
		.argument = reader,
	};
	struct mc_plain *plain = &reader->plain;

	mc_buffer_clear(&reader->line);
	mc_buffer_add(&reader->line, line, size);
	if (!mc_plain_parse(plain, reader->line.at, size, &context)) {
		snprintf(result->text, sizeof(result->text), "%s", plain->error);
		reject(result, result->text);
		return;
	}
	if (plain->verb != MC_PLAIN_PUTVAL) {
		reject(result, "it is not PUTVAL");
		return;
	}
	if (!plain->known)
		reader->series = mc_series_named(reader->batch, &plain->name);
	if (reader->series == NULL) {
		reject(result, "its series cannot be made");
		return;
	}
	while (mc_plain_next(plain)) {
		mc_put_at(reader->batch, reader->series, plain->stamp, plain->values,
			  plain->type->sources_len);
		result->samples++;
	}
}

static void put_path(const struct record *record, const char *line, size_t size,
		     struct record_result *result)
{
	static const char *const faults[] = {
		[LINE_FORM] = "it is not \"PATH VALUE TIME\"",
		[LINE_VALUE] = "its value is not a number",
		[LINE_TIME] = "its time is invalid",
	};
	static const char *const points[] = {
		[MC_POINT_NAME] = "no Template makes a name of its path",
		[MC_POINT_SERIES] = "its series cannot be made",
		[MC_POINT_KIND] = "it is a counter that is not whole",
		[MC_POINT_FUTURE] = "its time is far ahead",
	};
	enum mc_point_result taken;
	struct mc_point point;
	enum line_fault fault;

	fault = line_read_plain(line, size, &point);
	if (fault == LINE_EMPTY || fault == LINE_UNKNOWN)
		return;
	if (fault != LINE_GOOD) {
		reject(result, faults[fault]);
		return;
	}
	taken = mc_paths_put(record->paths, &point);
	if (taken == MC_POINT_TAKEN)
		result->samples++;
	else if (taken != MC_POINT_UNKNOWN)
		reject(result, points[taken]);
}

static void put_lines(struct record_reader *reader, struct mc_batch *batch,
		      const struct record *record, struct record_result *result)
{
	const char *line = record->bytes, *end = line + record->size, *next;

	reader->batch = batch;
	if (record->format == RECORD_GRAPHITE)
		mc_paths_begin(record->paths, batch);
	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (next == NULL)
			next = end;
		if (record->format == RECORD_GRAPHITE)
			put_path(record, line, (size_t)(next - line), result);
		else if (next > line)
			put_command(reader, record, line, (size_t)(next - line), result);
	}
}

bool record_put(struct record_reader *reader, struct mc_batch *batch, const struct record *record,
		struct record_result *result)
{
	*result = (struct record_result){ .samples = 0 };
	switch (record->format) {
	case RECORD_OTLP:
		return put_otlp(reader, batch, record, result);
	case RECORD_JSON:
		return put_json(reader, batch, record, result);
	default:
		put_lines(reader, batch, record, result);
		return result->samples > 0 || result->rejected == 0;
	}
}
