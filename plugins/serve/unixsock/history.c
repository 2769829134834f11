/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/metadata.h>

#include "formats/plaintext/plaintext.h"

#define LINE_ROOM 4096
#define SPAN (3600 * MC_SECOND) /* Without a begin. */

struct question {
	struct errand base; /* First. */
	struct mc_span span;
	bool minima;
	char name[];
};

struct answer {
	struct mc_buffer *reply;
	bool minima;
	unsigned len; /* Lines. */
	char buffer[LINE_ROOM];
};

static void add_line(struct answer *answer, const struct mc_plain_line *line)
{
	reply_add(answer->reply, line->text, line->size);
	reply_add(answer->reply, "\n", 1);
	answer->len++;
}

static void add_head(struct answer *answer, const struct mc_series *series,
		     const struct mc_latest *latest, const struct mc_history *history)
{
	struct mc_plain_line line = mc_plain_line(answer->buffer, LINE_ROOM, "history");

	mc_plain_add_text(&line, "name", mc_name(series));
	mc_plain_add_text(&line, "type", history->type->name);
	mc_plain_add_text(&line, "unit", history->type->unit);
	mc_plain_add_text(&line, "provider", history->provider);
	mc_plain_add_time(&line, "start", history->start);
	mc_plain_add_time(&line, "step", history->step);
	mc_plain_add_time(&line, "coarsest", history->coarsest);
	mc_plain_add_count(&line, "points", history->points_len);
	mc_plain_add_time(&line, "time", latest->time);
	mc_plain_add_text(&line, "missing", latest->missing ? "true" : "false");
	if (answer->minima)
		mc_plain_add_text(&line, "minima", "true");
	add_line(answer, &line);
}

static void add_sources(struct answer *answer, const struct mc_series *series,
			const struct mc_type *type)
{
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_metadata *metadata = mc_get_metadata(series, i);
		struct mc_plain_line line = mc_plain_line(answer->buffer, LINE_ROOM, "source");

		mc_plain_add_text(&line, "name", type->sources[i].name);
		mc_plain_add_text(&line, "unit", metadata != NULL ? metadata->unit : "");
		mc_plain_add_text(&line, "label", metadata != NULL ? metadata->label : "");
		add_line(answer, &line);
		mc_release_metadata(metadata);
	}
}

static bool is_known(struct mc_history *history, unsigned point)
{
	for (unsigned i = 0; i < history->type->sources_len; i++)
		if (!isnan(mc_history_points(history, i)[point].average))
			return true;
	return false;
}

/* "TIME AVERAGE MAXIMUM ...": two numbers for each source, or three with its minimum. */
static void add_point(struct answer *answer, struct mc_history *history, unsigned point)
{
	struct mc_buffer *reply = answer->reply;
	char number[MC_PLAIN_NUMBER_SIZE];
	size_t size = mc_plain_time(number, sizeof(number),
				    history->start + (mc_time)point * history->step);

	reply_add(reply, number, size);
	for (unsigned i = 0; i < history->type->sources_len; i++) {
		const struct mc_history_point *at = &mc_history_points(history, i)[point];
		const double numbers[] = { at->average, at->maximum, at->minimum };

		for (unsigned k = 0; k < (answer->minima ? 3 : 2); k++) {
			size = mc_plain_gauge(number, sizeof(number), numbers[k]);
			reply_add(reply, " ", 1);
			reply_add(reply, number, size);
		}
	}
	reply_add(reply, "\n", 1);
	answer->len++;
}

static void add_all(struct question *question, const struct mc_series *series,
		    const struct mc_latest *latest, struct mc_history *history)
{
	struct mc_buffer *reply = &question->base.reply;
	struct answer answer = { .reply = reply, .minima = question->minima };
	size_t start = reply->size;
	char head[64];
	int size;

	add_head(&answer, series, latest, history);
	add_sources(&answer, series, history->type);
	for (unsigned i = 0; i < history->points_len; i++)
		if (is_known(history, i))
			add_point(&answer, history, i);
	size = snprintf(head, sizeof(head), "%u Line%s found\n", answer.len,
			answer.len == 1 ? "" : "s");
	reply_insert(reply, start, head, (size_t)size);
}

static struct mc_span complete(struct mc_span span, const struct mc_latest *latest)
{
	if (span.to == 0)
		span.to = latest->missing ? latest->time + latest->interval : mc_wall();
	if (span.from == 0)
		span.from = span.to > SPAN ? span.to - SPAN : 0;
	return span;
}

static void answer_for(struct question *question, struct mc_ctx *ctx, struct mc_reading *reading,
		       struct mc_series *series)
{
	struct mc_buffer *reply = &question->base.reply;
	char why[MC_HISTORY_WHY];
	struct mc_history *history;
	struct mc_latest latest;
	int rc;

	mc_latest(reading, series, &latest);
	rc = mc_history(ctx, question->name, complete(question->span, &latest), &history, why);
	if (rc == -EINVAL)
		reply_print(reply, "-1 The end of the span is not after its begin.\n");
	else if (rc < 0)
		reply_print(reply, "-1 %s\n", why);
	else
		add_all(question, series, &latest, history);
	mc_history_free(history);
}

static void run(struct errand *errand, struct mc_ctx *ctx)
{
	struct question *question = (struct question *)errand;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, question->name, strlen(question->name));

	if (series != NULL)
		answer_for(question, ctx, reading, series);
	else
		reply_print(&errand->reply, "-1 No such value.\n");
	mc_read_end(reading);
}

struct errand *history_errand(const char *name, const struct mc_plain_span *span)
{
	size_t size = strlen(name) + 1;
	struct question *question = mc_alloc(sizeof(*question) + size);

	*question = (struct question){ .base = { .run = run },
				       .span = { .from = span->from,
						 .to = span->to,
						 .step = span->step,
						 .points = span->points },
				       .minima = span->minima };
	memcpy(question->name, name, size);
	return &question->base;
}
