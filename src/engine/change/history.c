/* SPDX-License-Identifier: MIT */
/* Histories of series: what the first writer that has kept it knows, and
 * for the newest part what is remembered in memory. */
#include <collector/history.h>
#include <collector/private/status.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/change/engine_internal.h"
#include "engine/change/writers.h"
#include "engine/store/recent.h"
#include "model/history.h"

/* --- Memory -------------------------------------------------------------- */

static void add_recent(struct mc_history *history, const struct recent_copy *recent)
{
	for (unsigned source = 0; source < recent->sources_len; source++) {
		const double *values = recent->values + source * recent->len;

		for (size_t i = 0; i < recent->len; i++)
			mc_history_add(history, source,
				       &(struct mc_history_row){
					       .start = recent->start + (mc_time)i * recent->step,
					       .step = recent->step,
					       .average = values[i],
					       .maximum = values[i],
					       .minimum = values[i],
				       });
	}
}

/* --- Writers ------------------------------------------------------------- */

struct question {
	struct engine *engine;
	const struct mc_history_query *query;
	struct mc_history **histories;
	struct recent_copy *recent; /* Of each, what is remembered. */
	char *why;
};

static bool has_fetch(const struct mc_writer *writer)
{
	return writer->fetch != NULL || writer->fetch_many != NULL;
}

static bool has_draw(const struct mc_writer *writer)
{
	return writer->draw != NULL;
}

/* Lists those of which writers are still to be asked: memory does not have it all. */
static size_t list_unknown(const struct question *question, struct mc_fetch_item *items)
{
	size_t len = 0;

	for (size_t i = 0; i < question->query->len; i++) {
		struct mc_history *history = question->histories[i];

		if (history != NULL && history->start < history->before &&
		    !history_is_known(history))
			items[len++] = (struct mc_fetch_item){ question->query->names[i], history };
	}
	return len;
}

static int ask_writer(struct mc_ctx *ctx, const struct mc_writer *writer,
		      const struct mc_fetch *fetch, char *why)
{
	int rc = 0;

	if (writer->fetch_many != NULL)
		return writer->fetch_many(ctx, fetch, why);
	for (size_t i = 0; i < fetch->len && mc_fetch_is_wanted(fetch); i++) {
		if (fetch->until > 0 && clock_now() >= fetch->until) {
			snprintf(why, MC_HISTORY_WHY, "%s does not read them in time", ctx->name);
			return -EIO;
		}
		if (writer->fetch(ctx, fetch->items[i].name, fetch->items[i].history, why) < 0)
			rc = -EIO;
	}
	return rc;
}

/* Returns -EIO if one has failed, and some are not known. */
static int ask_writers(struct question *question)
{
	struct mc_fetch_item *items = alloc_array(question->query->len, sizeof(*items));
	struct mc_fetch fetch = { .items = items,
				  .until = question->query->until,
				  .is_wanted = question->query->is_wanted,
				  .argument = question->query->argument };
	struct instance *instance = NULL;
	int rc = 0;

	while ((fetch.len = list_unknown(question, items)) > 0 && mc_fetch_is_wanted(&fetch)) {
		instance = writers_next(question->engine, instance, has_fetch);
		if (instance == NULL)
			break;

		struct mc_ctx *ctx = &instance->context.ctx;

		if (rc == 0)
			snprintf(question->why, MC_HISTORY_WHY, "%s cannot read it", ctx->name);
		if (ask_writer(ctx, instance->context.callbacks, &fetch, question->why) < 0)
			rc = -EIO;
		for (size_t i = 0; i < fetch.len; i++)
			if (history_is_known(items[i].history))
				items[i].history->provider = ctx->name;
	}
	writers_leave(instance);
	free(items);
	return fetch.len > 0 ? rc : 0;
}

/* --- Which writers have a series -------------------------------------------- */

/* Before its last value, until something is found; at first as many intervals as points, as a few
 * values alone are nothing in a long span. */
static const mc_time kept_spans[] = { 0, 3600 * MC_SECOND, 86400 * MC_SECOND,
				      366 * 86400 * MC_SECOND };
#define KEPT_POINTS 60
#define KEPT_WAIT (5 * MC_SECOND)

struct kept {
	const char *name;
	const struct mc_type *type;
	struct mc_latest latest;
};

/* Whether the writer has values of the span before the last one; 'why' is as of fetch(). */
static bool has_values(struct instance *instance, const struct kept *kept, mc_time span, char *why)
{
	mc_time interval = kept->latest.interval > 0 ? kept->latest.interval : MC_SECOND;
	mc_time from = kept->latest.time - (span > 0 ? span : KEPT_POINTS * interval);
	struct mc_history *history =
		history_new(kept->type,
			    (struct mc_span){ .from = from > 0 ? from : 0,
					      .to = kept->latest.time + interval,
					      .points = KEPT_POINTS },
			    interval);
	const struct mc_fetch_item item = { kept->name, history };
	const struct mc_fetch fetch = { .items = &item,
					.len = 1,
					.until = clock_now() + KEPT_WAIT };
	bool has;

	if (history == NULL)
		return false;
	if (ask_writer(&instance->context.ctx, instance->context.callbacks, &fetch, why) >= 0)
		why[0] = '\0';
	has = history_is_known(history);
	mc_history_free(history);
	return has;
}

static struct mc_keeper ask_keeper(struct instance *instance, const struct kept *kept, char *why)
{
	struct mc_keeper keeper = { .writer = instance->context.ctx.name, .why = why };

	why[0] = '\0';
	for (size_t i = 0; i < sizeof(kept_spans) / sizeof(*kept_spans) && !keeper.has; i++) {
		keeper.has = has_values(instance, kept, kept_spans[i], why);
		if (why[0] != '\0')
			break;
	}
	return keeper;
}

void mc_each_keeper(struct mc_ctx *ctx, const char *name,
		    void (*visit)(void *argument, const struct mc_keeper *), void *argument)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct kept kept = { .name = name };
	struct instance *instance = NULL;
	char why[MC_HISTORY_WHY];

	if (series != NULL) {
		kept.type = series->type;
		mc_latest(reading, series, &kept.latest);
	}
	while (series != NULL && (instance = writers_next(engine, instance, has_fetch)) != NULL) {
		struct mc_keeper keeper = ask_keeper(instance, &kept, why);

		visit(argument, &keeper);
	}
	mc_read_end(reading);
}

/* --- The whole ----------------------------------------------------------- */

/* Begins the history of a series, and recalls what is remembered.  0, -ENOENT or -EINVAL. */
static int begin(struct question *question, struct mc_reading *reading, struct mc_span *span,
		 size_t number)
{
	const char *name = question->query->names[number];
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct recent_copy *recent = &question->recent[number];
	struct mc_history *history;
	struct mc_latest latest;

	if (series == NULL)
		return -ENOENT;
	mc_latest(reading, series, &latest);
	history = history_new(series->type, *span, latest.interval);
	question->histories[number] = history;
	if (history == NULL)
		return -EINVAL;
	span->step = history->step;
	(span->glance ? store_glance : store_recall)(question->engine->registry.store, series,
						     recent);
	if (recent->len > 0)
		history->before = recent->start;
	return 0;
}

static void finish(struct mc_history *history, struct recent_copy *recent)
{
	if (!history_is_known(history))
		history->provider = recent->len > 0 ? "recent" : "";
	history->before = INT64_MAX;
	add_recent(history, recent);
	history_finish(history);
}

/* '*found': what begin() returned of the last one. */
static int answer(struct question *question, struct mc_ctx *ctx, int *found)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_span span = question->query->span;
	int rc;

	question->engine = instance_of(ctx)->engine;
	question->recent = alloc_zero(question->query->len * sizeof(*question->recent));
	memset(question->histories, 0, question->query->len * sizeof(struct mc_history *));
	for (size_t i = 0; i < question->query->len; i++)
		*found = begin(question, reading, &span, i);
	rc = ask_writers(question);
	for (size_t i = 0; i < question->query->len; i++) {
		if (question->histories[i] != NULL)
			finish(question->histories[i], &question->recent[i]);
		free(question->recent[i].values);
	}
	free(question->recent);
	mc_read_end(reading);
	return rc;
}

int mc_histories(struct mc_ctx *ctx, const struct mc_history_query *query,
		 struct mc_history **histories, char *why)
{
	struct question question = { .query = query, .histories = histories, .why = why };
	int found;

	why[0] = '\0';
	return query->len > 0 ? answer(&question, ctx, &found) : 0;
}

int mc_history(struct mc_ctx *ctx, const char *name, struct mc_span span,
	       struct mc_history **history, char *why)
{
	const struct mc_history_query query = { .names = &name, .len = 1, .span = span };
	struct question question = { .query = &query, .histories = history, .why = why };
	int found = 0, rc = answer(&question, ctx, &found);

	if (found == -ENOENT)
		snprintf(why, MC_HISTORY_WHY, "there is no series of that name");
	else if (found == -EINVAL)
		snprintf(why, MC_HISTORY_WHY, "the span has no length");
	return found < 0 ? found : rc;
}

int mc_graph(struct mc_ctx *ctx, const struct mc_graph *graph, struct mc_picture *picture,
	     char *why)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance *instance = writers_next(engine, NULL, has_draw);
	int rc;

	snprintf(why, MC_HISTORY_WHY, "no plugin that draws is loaded");
	if (instance == NULL)
		return -ENOTSUP;
	snprintf(why, MC_HISTORY_WHY, "%s cannot draw it", instance->context.ctx.name);
	rc = instance->context.callbacks->draw(&instance->context.ctx, graph, picture, why);
	writers_leave(instance);
	return rc == 0 ? 0 : -EIO;
}

bool mc_graph_draws(struct mc_ctx *ctx)
{
	struct instance *instance = writers_next(instance_of(ctx)->engine, NULL, has_draw);

	writers_leave(instance);
	return instance != NULL;
}

void mc_history_keep(struct mc_ctx *ctx, const char *plugin)
{
	struct store *store = instance_of(ctx)->engine->registry.store;
	struct mc_batch *batch = store_begin(store, ctx);

	store_keep(store, batch, ctx->host, plugin);
	store_release(store, batch);
}
