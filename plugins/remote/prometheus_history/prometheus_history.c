/* SPDX-License-Identifier: MIT */
/* prometheus_history - what Prometheus, Mimir or VictoriaMetrics have kept, for the pages and
 * tools that show histories.
 *
 * Three queries answer for all series of a graph: averages, maxima and minima of each point. */
#include <collector/check.h>
#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/http_client.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "matrix.h"
#include "store.h"
#include "wanted.h"

#define QUERY_RANGE "/api/v1/query_range"

struct prometheus_history {
	struct mc_http_settings http;
	struct mc_strings labels; /* Name, value, name, value... */
	int64_t body_max;
	bool list;
	struct store store;
};

static const struct mc_http_protocol checked = { .reply_max = 1 }; /* A path is appended. */

static const struct mc_option options[] = {
	{ "URL", MC_OPT_STRINGS(struct prometheus_history, http.urls), .required = true,
	  .help = "URL of the store, without /api/v1; of several URLs the first that answers is "
		  "used.",
	  .sample = "http://127.0.0.1:9090" },
	MC_HTTP_PLAIN_OPTIONS(struct prometheus_history, http),
	MC_HTTP_USER_OPTIONS(struct prometheus_history, http),
	{ "MatchLabel", MC_OPT_STRINGS(struct prometheus_history, labels),
	  .help = "Name and value of a label that the series must have there, such as an "
		  "ExternalLabel.",
	  .sample = "cluster north" },
	{ "ListSeries", MC_OPT_BOOL(struct prometheus_history, list), .default_value = "false",
	  .help = "Has series known that the store has and this collector has not." },
	{ "MaxBodySize", MC_OPT_INT(struct prometheus_history, body_max),
	  .default_value = "16777216",
	  .help = "Largest number of bytes of an answer; a larger one is not used.", .min = 1,
	  .max = 1 << 30 },
	{ 0 },
};

/* --- Life ---------------------------------------------------------------- */

static void prometheus_history_check(struct mc_ctx *ctx)
{
	const struct prometheus_history *self = ctx->self;

	mc_http_check(ctx, &self->http, &checked);
	if (self->labels.len % 2 != 0)
		mc_check_error(ctx, &self->labels, "MatchLabel takes a name and a value");
	for (size_t i = 0; i + 1 < self->labels.len; i += 2)
		if (!naming_is_label(self->labels.items[i]))
			mc_check_error(ctx, &self->labels, "invalid label '%s'",
				       self->labels.items[i]);
}

static int prometheus_history_start(struct mc_ctx *ctx)
{
	struct prometheus_history *self = ctx->self;

	return store_start(&self->store, ctx, &self->http, (size_t)self->body_max);
}

static int prometheus_history_renew(struct mc_ctx *ctx)
{
	struct prometheus_history *self = ctx->self;

	store_renew(&self->store);
	return 0;
}

static void prometheus_history_stop(struct mc_ctx *ctx)
{
	struct prometheus_history *self = ctx->self;

	store_stop(&self->store);
}

/* --- Histories ------------------------------------------------------------- */

struct answer {
	const struct wanted *wanted;
	enum wanted_kind kind;
	struct wanted_output *output; /* That points are of. */
};

static bool take_series(void *argument, const struct matrix_labels *labels)
{
	struct answer *answer = argument;

	answer->output = wanted_find(answer->wanted, labels);
	return answer->output != NULL;
}

/* A point is of the step that ends then. */
static void take_point(void *argument, double time, double value)
{
	const struct answer *answer = argument;
	const struct wanted_output *output = answer->output;
	const struct mc_history *history = output->history;
	double place = (time - (double)history->start * 1e-9) / ((double)history->step * 1e-9) - 1;
	double *points = output->points[answer->kind];

	if (place > -0.5 && place < (double)history->points_len - 0.5 && isfinite(value))
		points[(size_t)(place + 0.5)] = value * output->factor;
}

static bool take_answer(void *argument, size_t number, const struct mc_http_reply *reply, char *why)
{
	static const struct matrix_calls calls = { .series = take_series, .point = take_point };
	struct answer answer = { .wanted = argument, .kind = (enum wanted_kind)number };

	return matrix_read(reply->body, reply->size, &calls, &answer, why);
}

/* The store has values of each interval, of which the rows are made. */
static void add_rows(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->len; i++) {
		const struct wanted_output *output = &wanted->outputs[i];
		struct mc_history *history = output->history;
		mc_time interval = wanted->parts[output->part].interval;
		mc_time coarsest = history->coarsest;

		for (unsigned j = 0; j < history->points_len; j++)
			mc_history_add(history, output->source,
				       &(struct mc_history_row){
					       .start = history->start + j * history->step,
					       .step = history->step,
					       .average = output->points[WANTED_AVERAGES][j],
					       .maximum = output->points[WANTED_MAXIMA][j],
					       .minimum = output->points[WANTED_MINIMA][j],
				       });
		history->coarsest = coarsest > interval ? coarsest : interval;
	}
}

/* Whether a point has several values, so that their extremes are other questions. */
static bool is_coarse(const struct wanted *wanted, mc_time step)
{
	for (size_t i = 0; i < wanted->parts_len; i++)
		if (step > wanted->parts[i].interval)
			return true;
	return false;
}

static void add_time(struct mc_buffer *form, const char *name, mc_time time)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%.3f", (double)(time / MC_MILLISECOND) * 1e-3);

	store_add_field(form, name, text, (size_t)size);
}

static void make_form(const struct wanted *wanted, enum wanted_kind kind, struct mc_buffer *form)
{
	const struct mc_history *history = wanted->outputs[0].history;
	struct mc_buffer query = { 0 };

	wanted_query(wanted, history->step, kind, &query);
	store_add_field(form, "query", query.at, query.size);
	add_time(form, "start", history->start + history->step);
	add_time(form, "end", history->start + history->step * history->points_len);
	add_time(form, "step", history->step);
	/* VictoriaMetrics would move the start. */
	store_add_field(form, "nocache", "1", 1);
	mc_buffer_free(&query);
}

static int ask(struct prometheus_history *self, struct wanted *wanted, const struct mc_fetch *fetch,
	       char *why)
{
	struct store_question question = {
		.path = QUERY_RANGE,
		.len = is_coarse(wanted, wanted->outputs[0].history->step) ? WANTED_KINDS : 1,
		.until = fetch->until,
		.is_wanted = fetch->is_wanted,
		.argument = fetch->argument,
	};
	int rc;

	for (size_t i = 0; i < question.len; i++)
		make_form(wanted, (enum wanted_kind)i, &question.forms[i]);
	rc = store_ask(&self->store, &question, take_answer, wanted, why);
	for (size_t i = 0; i < question.len; i++)
		mc_buffer_free(&question.forms[i]);
	return rc;
}

/* All have one span and one step. */
static int prometheus_history_fetch_many(struct mc_ctx *ctx, const struct mc_fetch *fetch,
					 char *why)
{
	struct prometheus_history *self = ctx->self;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct wanted wanted = { .external = &self->labels };
	int rc = 0;

	for (size_t i = 0; i < fetch->len; i++)
		wanted_add(&wanted, ctx, reading, &fetch->items[i]);
	mc_read_end(reading);
	if (wanted.len > 0)
		rc = ask(self, &wanted, fetch, why);
	if (rc == 0)
		add_rows(&wanted);
	wanted_free(&wanted);
	return rc;
}

/* --- Series ------------------------------------------------------------------ */

static void prometheus_history_each_stored(struct mc_ctx *ctx, mc_stored_show *show, void *argument)
{
	struct prometheus_history *self = ctx->self;

	if (self->list)
		known_each(&self->store, &self->labels, show, argument);
}

static const struct mc_writer writer = {
	.fetch_many = prometheus_history_fetch_many,
	.each_stored = prometheus_history_each_stored,
};

MC_PLUGIN(prometheus_history) = {
	MC_NAMED(prometheus_history),
	.help = "Shows what Prometheus, Mimir or VictoriaMetrics have kept.",
	.self_size = sizeof(struct prometheus_history),
	.options = options,
	.check = prometheus_history_check,
	.start = prometheus_history_start,
	.writer = &writer,
	.renew = prometheus_history_renew,
	.stop = prometheus_history_stop,
};
