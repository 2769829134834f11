/* SPDX-License-Identifier: MIT */
/* The history of a series: what the first writer that has kept it knows, and
 * for the newest part what is remembered in memory. */
#include <collector/history.h>
#include <collector/private/catalogue.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/catalogue/catalogue.h"
#include "engine/change/engine_internal.h"
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

/* The writer after 'before' that has what is asked of it, or the first after
 * NULL.  It is not stopped before leave_writer(). */
static struct instance *enter_writer(struct engine *engine, const struct instance *before,
				     bool (*has)(const struct mc_writer *))
{
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);
	const struct instance_set *set = here.instance_set;
	struct instance *found = NULL;
	unsigned i = 0;

	while (before != NULL && i < set->instances_len && set->instances[i++] != before)
		;
	for (; found == NULL && i < set->instances_len; i++)
		if (set->instances[i]->started && has(set->instances[i]->context.callbacks))
			found = set->instances[i];
	if (found != NULL)
		found->fetches++;
	instance_set_read_unlock(&engine->instances, here);
	return found;
}

static void leave_writer(struct instance *instance)
{
	instance->fetches--;
}

/* Returns what the last one that failed did, or 0. */
static int ask_writers(struct engine *engine, const char *name, struct mc_history *history,
		       char *why)
{
	struct instance *instance = NULL, *next;
	int rc = 0;

	while (!history_is_known(history)) {
		next = enter_writer(engine, instance, has_fetch);
		if (instance != NULL)
			leave_writer(instance);
		instance = next;
		if (instance == NULL)
			return rc;
		snprintf(why, MC_HISTORY_WHY, "%s cannot read it", instance->context.ctx.name);
		if (instance->context.callbacks->fetch(&instance->context.ctx, name, history, why) <
		    0)
			rc = -EIO;
		else
			history->provider = instance->context.ctx.name;
	}
	if (instance != NULL)
		leave_writer(instance);
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

size_t mc_each_ended(struct mc_ctx *ctx, const char *glob,
		     bool (*show)(void *argument, const struct mc_ended *), void *argument)
{
	struct catalogue *catalogue = instance_of(ctx)->engine->catalogue;

	return catalogue != NULL ? catalogue_each(catalogue, glob, show, argument) : 0;
}

/* --- Forgetting ------------------------------------------------------------ */

static bool has_forgotten(const struct mc_writer *writer)
{
	return writer->forgotten != NULL;
}

struct sending { /* Series with values that match. */
	size_t len;
	char *name; /* Of the first. */
};

static bool count_sending(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct sending *sending = argument;

	if (latest->missing)
		return true;
	if (sending->len++ == 0)
		snprintf(sending->name, MC_FORGET_NAME_SIZE, "%s", mc_name(series));
	return true;
}

int64_t mc_forget(struct mc_ctx *ctx, const char *glob, size_t *sending,
		  char name[MC_FORGET_NAME_SIZE])
{
	struct engine *engine = instance_of(ctx)->engine;
	struct sending found = { .name = name };
	struct instance *instance = NULL, *next;
	int64_t len = 0;

	mc_each_series(ctx, glob, count_sending, &found);
	*sending = found.len;
	if (found.len > 0)
		return -EBUSY;
	if (engine->catalogue != NULL)
		len = (int64_t)catalogue_forget(engine->catalogue, glob);
	while ((next = enter_writer(engine, instance, has_forgotten)) != NULL) {
		if (instance != NULL)
			leave_writer(instance);
		instance = next;
		instance->context.callbacks->forgotten(&instance->context.ctx, glob);
	}
	if (instance != NULL)
		leave_writer(instance);
	return len;
}

int mc_graph(struct mc_ctx *ctx, const struct mc_graph *graph, struct mc_picture *picture,
	     char *why)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance *instance = enter_writer(engine, NULL, has_draw);
	int rc;

	snprintf(why, MC_HISTORY_WHY, "no plugin that draws is loaded");
	if (instance == NULL)
		return -ENOTSUP;
	snprintf(why, MC_HISTORY_WHY, "%s cannot draw it", instance->context.ctx.name);
	rc = instance->context.callbacks->draw(&instance->context.ctx, graph, picture, why);
	leave_writer(instance);
	return rc == 0 ? 0 : -EIO;
}

bool mc_graph_draws(struct mc_ctx *ctx)
{
	struct instance *instance = enter_writer(instance_of(ctx)->engine, NULL, has_draw);

	if (instance != NULL)
		leave_writer(instance);
	return instance != NULL;
}

void mc_history_keep(struct mc_ctx *ctx, const char *plugin)
{
	struct store *store = instance_of(ctx)->engine->registry.store;
	struct mc_batch *batch = store_begin(store, ctx);

	store_keep(store, batch, ctx->host, plugin);
	store_release(store, batch);
}
