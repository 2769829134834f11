/* SPDX-License-Identifier: MIT */
#include "intake.h"

#include <string.h>

#include "kit/series/sent_metric.h"

#define BATCH_MAX 8192 /* Points. */

void intake_done(struct intake *intake)
{
	mc_paths_free(intake->paths);
	pickle_free(intake->pickle);
	mc_buffer_free(&intake->path);
	mc_buffer_free(&intake->sent);
}

void intake_commit(struct intake *intake)
{
	if (intake->batch != NULL)
		mc_commit(intake->batch);
	intake->batch = NULL;
	intake->batch_len = 0;
}

static void charge(struct intake *intake)
{
	if (intake->batch == NULL) {
		intake->batch = mc_begin(intake->ctx);
		mc_paths_begin(intake->paths, intake->batch);
	}
	mc_charge(intake->batch, intake->sender->quota);
}

void intake_from(struct intake *intake, struct sender *sender,
		 const struct sockaddr_storage *address)
{
	intake->sender = sender;
	intake->address = *address;
	charge(intake);
}

static void refuse(struct intake *intake, enum refused_reason reason, const char *text, size_t size)
{
	mc_refuse(
		&intake->refused->refusals, intake->ctx, reason,
		&(struct mc_refused){
			.what = "a line", .text = text, .size = size, .sender = &intake->address });
}

void intake_refuse(struct intake *intake, enum refused_reason reason)
{
	mc_refuse(&intake->refused->refusals, intake->ctx, reason,
		  &(struct mc_refused){ .what = "data", .sender = &intake->address });
}

/* With a tag "plugin" the tags are the parts of collectd's name. */
static bool is_collectd_name(const struct mc_sent_metric *sent)
{
	for (size_t i = 0; i < sent->labels_len; i++)
		if (strcmp(sent->labels[i].name, "plugin") == 0)
			return true;
	return false;
}

/* A path with tags is the name of a metric, and all that identifies it.  Called once for a path. */
static void describe(struct intake *intake, struct mc_series *series, const struct mc_point *point)
{
	struct mc_sent_metric sent = { .labels_len = 0 };
	char *tags;

	if (memchr(point->path, ';', point->size) == NULL)
		return;
	mc_buffer_clear(&intake->sent);
	mc_buffer_add(&intake->sent, point->path, point->size);
	tags = strchr(intake->sent.at, ';');
	if (tags == NULL)
		return; /* There is a zero byte before them. */
	*tags++ = '\0';
	sent.name = intake->sent.at;
	mc_sent_metric_add_tags(&sent, tags, ";=");
	if (!is_collectd_name(&sent))
		mc_sent_metric_set(intake->batch, series, &sent);
}

/* REFUSED_NOTHING: it is taken. */
static enum refused_reason put(struct intake *intake, enum line_fault fault,
			       const struct mc_point *point)
{
	static const enum refused_reason of_line[] = {
		[LINE_GOOD] = REFUSED_NOTHING,    [LINE_EMPTY] = REFUSED_NOTHING,
		[LINE_FORM] = REFUSED_FORM,       [LINE_VALUE] = REFUSED_VALUE,
		[LINE_UNKNOWN] = REFUSED_UNKNOWN, [LINE_TIME] = REFUSED_TIME,
	};
	static const enum refused_reason of_point[] = {
		[MC_POINT_TAKEN] = REFUSED_NOTHING, [MC_POINT_UNKNOWN] = REFUSED_UNKNOWN,
		[MC_POINT_NAME] = REFUSED_NAME,     [MC_POINT_SERIES] = REFUSED_SERIES,
		[MC_POINT_KIND] = REFUSED_KIND,     [MC_POINT_FUTURE] = REFUSED_FUTURE,
	};
	enum refused_reason reason = of_line[fault];

	if (fault != LINE_GOOD)
		return reason;
	if (intake->batch_len == BATCH_MAX)
		intake_commit(intake);
	if (intake->batch == NULL)
		charge(intake);
	reason = of_point[mc_paths_put(intake->paths, point)];
	if (mc_paths_found(intake->paths) != NULL)
		describe(intake, mc_paths_found(intake->paths), point);
	if (reason == REFUSED_NOTHING) {
		intake->batch_len++;
		atomic_fetch_add_explicit(&intake->refused->points, 1, memory_order_relaxed);
	}
	return reason;
}

static void take_line(struct intake *intake, enum protocol protocol, const char *line, size_t size)
{
	struct mc_point point = { .size = 0 };
	enum line_fault fault = protocol == PROTOCOL_OPENTSDB
					? line_read_put(line, size, &intake->path, &point)
					: line_read_plain(line, size, &point);
	enum refused_reason reason = put(intake, fault, &point);

	if (reason != REFUSED_NOTHING)
		refuse(intake, reason, line, size);
}

size_t intake_lines(struct intake *intake, enum protocol protocol, const char *text, size_t size,
		    bool ends)
{
	size_t done = 0;

	while (done < size) {
		const char *line = text + done;
		const char *newline = memchr(line, '\n', size - done);
		size_t line_size = newline != NULL ? (size_t)(newline - line) : size - done;

		if (newline == NULL && !ends)
			break;
		take_line(intake, protocol, line, line_size);
		done += line_size + (newline != NULL);
	}
	return done;
}

static void take_point(void *argument, enum line_fault fault, const struct mc_point *point)
{
	struct intake *intake = argument;
	enum refused_reason reason = put(intake, fault, point);

	if (reason != REFUSED_NOTHING)
		refuse(intake, reason, point->path, point->size);
}

bool intake_pickle(struct intake *intake, const void *bytes, size_t size)
{
	const struct pickle_taker taker = { take_point, intake };
	const char *why;

	if (pickle_read(intake->pickle, bytes, size, &taker, &why))
		return true;
	refuse(intake, REFUSED_PICKLE, why, strlen(why));
	return false;
}
