/* SPDX-License-Identifier: MIT */
#include "points.h"

#include <stdio.h>
#include <string.h>

#include "kit/series/sent_metric.h"

const char *const points_reasons[POINTS_REASONS] = {
	[POINTS_LINE] = "line",     [POINTS_UNKNOWN] = "unknown", [POINTS_TIME] = "time",
	[POINTS_FUTURE] = "future", [POINTS_NAME] = "name",       [POINTS_SERIES] = "series",
	[POINTS_KIND] = "kind",
};

static const char *const texts[POINTS_REASONS] = {
	[POINTS_LINE] = "unable to parse",
	[POINTS_UNKNOWN] = "a value is not finite",
	[POINTS_TIME] = ("a time is not after " MC_INFLUX_NO_TIME),
	[POINTS_FUTURE] = "a time is more than a day ahead",
	[POINTS_NAME] = "no series can be named after",
	[POINTS_SERIES] = "no series may be made of",
	[POINTS_KIND] = "a counter is not whole",
};

struct work { /* Of one text. */
	struct points *points;
	struct mc_batch *batch;
	struct points_result *result;
	mc_time precision;
	struct mc_influx influx;
	struct mc_buffer line, tags, path, name;
};

mc_time points_precision(const char *name)
{
	static const struct {
		const char *name;
		mc_time unit;
	} units[] = {
		{ "", 1 },
		{ "n", 1 },
		{ "ns", 1 },
		{ "u", 1000 },
		{ "us", 1000 },
		{ "ms", MC_MILLISECOND },
		{ "s", MC_SECOND },
		{ "m", 60 * MC_SECOND },
		{ "h", 3600 * MC_SECOND },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(name != NULL ? name : "", units[i].name) == 0)
			return units[i].unit;
	return 0;
}

/* --- Paths ---------------------------------------------------------------- */

/* An escaped end of a tag, or of its name, does not count. */
static void add_text(struct mc_buffer *buffer, const char *text, const char *forbidden)
{
	size_t from = buffer->size;

	mc_buffer_add(buffer, text, strlen(text));
	for (char *at = buffer->at + from; *(at += strcspn(at, forbidden));)
		*at = '_';
}

static void make_tags(struct work *work)
{
	const struct mc_influx *influx = &work->influx;

	mc_buffer_clear(&work->tags);
	for (size_t i = 0; i < influx->tags_len; i++) {
		mc_buffer_add(&work->tags, ";", 1);
		add_text(&work->tags, influx->tags[i].key, ";=");
		mc_buffer_add(&work->tags, "=", 1);
		add_text(&work->tags, influx->tags[i].value, ";");
	}
}

static void make_path(struct work *work, const char *field)
{
	mc_buffer_clear(&work->path);
	add_text(&work->path, work->influx.measurement, ";");
	mc_buffer_add(&work->path, ".", 1);
	add_text(&work->path, field, ";");
	mc_buffer_add(&work->path, work->tags.at, work->tags.size);
}

/* --- Points --------------------------------------------------------------- */

static void refuse(struct work *work, enum points_refused reason, const char *text, size_t size)
{
	struct points_result *result = work->result;

	if (result->refused++ == 0)
		snprintf(result->why, sizeof(result->why), "%s '%.*s'%s%s", texts[reason],
			 size < 80 ? (int)size : 80, text, reason == POINTS_LINE ? ": " : "",
			 reason == POINTS_LINE ? work->influx.error : "");
	atomic_fetch_add(&work->points->refused[reason], 1);
}

/* False: it is a text. */
static bool set_value(const struct mc_influx_field *field, struct mc_point *point)
{
	point->is_whole = false;
	switch (field->kind) {
	case MC_INFLUX_FLOAT:
		point->number = field->value.number;
		return true;
	case MC_INFLUX_SIGNED:
		point->is_whole = true;
		point->whole = field->value.signed_number;
		point->number = (double)point->whole;
		return true;
	case MC_INFLUX_UNSIGNED:
		point->is_whole = field->value.unsigned_number <= INT64_MAX;
		point->whole = (int64_t)field->value.unsigned_number;
		point->number = (double)field->value.unsigned_number;
		return true;
	case MC_INFLUX_BOOL:
		point->number = field->value.truth;
		return true;
	case MC_INFLUX_TEXT:
		break;
	}
	return false;
}

/* Called once for a path.  The measurement is the scope as well, so that where the name is divided
 * can be seen. */
static void describe(struct work *work, struct mc_series *series,
		     const struct mc_influx_field *field)
{
	const struct mc_influx *influx = &work->influx;
	struct mc_sent_metric sent = {
		.scope = influx->measurement,
		.of_host = true,
		.integer = field->kind == MC_INFLUX_SIGNED || field->kind == MC_INFLUX_UNSIGNED,
		.labels_len = influx->tags_len,
	};

	mc_buffer_clear(&work->name);
	mc_buffer_add(&work->name, influx->measurement, strlen(influx->measurement));
	mc_buffer_add(&work->name, "_", 1);
	mc_buffer_add(&work->name, field->key, strlen(field->key));
	sent.name = work->name.at;
	for (size_t i = 0; i < influx->tags_len; i++)
		sent.labels[i] = (struct mc_metric_label){ .name = influx->tags[i].key,
							   .value = influx->tags[i].value };
	mc_sent_metric_set(work->batch, series, &sent);
}

static void put_fields(struct work *work, mc_time time) MC_REQUIRES(work->points->lock)
{
	static const enum points_refused reasons[] = {
		[MC_POINT_UNKNOWN] = POINTS_UNKNOWN, [MC_POINT_NAME] = POINTS_NAME,
		[MC_POINT_SERIES] = POINTS_SERIES,   [MC_POINT_KIND] = POINTS_KIND,
		[MC_POINT_FUTURE] = POINTS_FUTURE,
	};
	struct mc_point point = { .time = time };
	struct mc_influx_field field;
	enum mc_point_result result;

	make_tags(work);
	while (mc_influx_next(&work->influx, &field)) {
		if (!set_value(&field, &point)) {
			work->points->texts++;
			continue;
		}
		make_path(work, field.key);
		point.path = work->path.at;
		point.size = work->path.size;
		result = mc_paths_put(work->points->paths, &point);
		if (mc_paths_found(work->points->paths) != NULL)
			describe(work, mc_paths_found(work->points->paths), &field);
		if (result == MC_POINT_TAKEN)
			work->result->taken++;
		else
			refuse(work, reasons[result], point.path, point.size);
	}
}

static void put_line(struct work *work, const char *line, size_t size)
	MC_REQUIRES(work->points->lock)
{
	mc_time time;

	mc_buffer_clear(&work->line);
	mc_buffer_add(&work->line, line, size);
	if (!mc_influx_parse(&work->influx, work->line.at, size))
		refuse(work, POINTS_LINE, line, size);
	else if (!mc_influx_time(&work->influx, work->precision, &time))
		refuse(work, POINTS_TIME, line, size);
	else if (work->influx.measurement != NULL)
		put_fields(work, time);
}

/* Where the line at 'at' ends.  A newline in a text in quotes ends it, too: no
 * sender is known that has one, and one quote too many would hide all else. */
static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline != NULL ? newline : end;
}

void points_put(struct points *points, struct mc_batch *batch, const struct points_text *text,
		struct points_result *result)
{
	struct work work = {
		.points = points,
		.batch = batch,
		.result = result,
		.precision = text->precision,
	};
	const char *at = text->at, *end = at + text->size;

	result->taken = result->refused = 0;
	result->why[0] = '\0';
	pthread_mutex_lock(&work.points->lock);
	mc_paths_begin(points->paths, batch);
	while (at < end) {
		const char *stop = line_end(at, end);

		put_line(&work, at, (size_t)(stop - at));
		at = stop + 1;
	}
	pthread_mutex_unlock(&work.points->lock);
	atomic_fetch_add(&points->taken, result->taken);
	mc_buffer_free(&work.line);
	mc_buffer_free(&work.tags);
	mc_buffer_free(&work.path);
	mc_buffer_free(&work.name);
}
