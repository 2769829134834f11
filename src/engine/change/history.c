/* SPDX-License-Identifier: MIT */
/* The history of a series: what the first writer that has kept it knows, and
 * for the newest part what is remembered in memory. */
#include <collector/history.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
				       });
	}
}

/* --- Writers ------------------------------------------------------------- */

static bool has_fetch(const struct mc_writer *writer)
{
	return writer->fetch != NULL;
}

static bool has_draw(const struct mc_writer *writer)
{
	return writer->draw != NULL;
}

/* Returns what the last one that failed did, or 0. */
static int ask_writers(struct engine *engine, const char *name, struct mc_history *history,
		       char *why)
{
	struct instance *instance = NULL;
	int rc = 0;

	while (!history_is_known(history)) {
		instance = writers_next(engine, instance, has_fetch);
		if (instance == NULL)
			return rc;
		snprintf(why, MC_HISTORY_WHY, "%s cannot read it", instance->context.ctx.name);
		if (instance->context.callbacks->fetch(&instance->context.ctx, name, history, why) <
		    0)
			rc = -EIO;
		else
			history->provider = instance->context.ctx.name;
	}
	writers_leave(instance);
	return 0;
}

/* --- The whole ----------------------------------------------------------- */

static int put_together(struct engine *engine, struct mc_series *series, struct mc_history *history,
			char *why)
{
	struct recent_copy recent;
	int rc = 0;

	store_recall(engine->registry.store, series, &recent);
	if (recent.len > 0)
		history->before = recent.start;
	if (history->start < history->before)
		rc = ask_writers(engine, series->name, history, why);
	if (!history_is_known(history))
		history->provider = recent.len > 0 ? "recent" : "";
	history->before = INT64_MAX;
	add_recent(history, &recent);
	free(recent.values);
	history_finish(history);
	return rc;
}

int mc_history(struct mc_ctx *ctx, const char *name, struct mc_span span,
	       struct mc_history **history, char *why)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct mc_latest latest;
	int rc = -ENOENT;

	*history = NULL;
	snprintf(why, MC_HISTORY_WHY, "there is no series of that name");
	if (series != NULL) {
		mc_latest(reading, series, &latest);
		*history = history_new(series->type, span, latest.interval);
		snprintf(why, MC_HISTORY_WHY, "the span has no length");
		rc = -EINVAL;
	}
	if (*history != NULL)
		rc = put_together(engine, series, *history, why);
	mc_read_end(reading);
	return rc;
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
