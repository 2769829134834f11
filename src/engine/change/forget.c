/* SPDX-License-Identifier: MIT */
/* Series that have ended: shown, and forgotten, with their files if that is wanted. */
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/private/catalogue.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/catalogue/catalogue.h"
#include "engine/change/engine_internal.h"
#include "engine/change/silent_hosts.h"
#include "engine/change/writers.h"

size_t mc_each_ended(struct mc_ctx *ctx, const char *glob,
		     bool (*show)(void *argument, const struct mc_ended *), void *argument)
{
	struct catalogue *catalogue = instance_of(ctx)->engine->catalogue;

	return catalogue != NULL ? catalogue_each(catalogue, glob, show, argument) : 0;
}

void mc_each_awaited_host(struct mc_ctx *ctx,
			  void (*show)(void *argument, const char *host, mc_time last),
			  void *argument)
{
	struct catalogue *catalogue = instance_of(ctx)->engine->catalogue;

	if (catalogue != NULL)
		catalogue_each_awaited_host(catalogue, show, argument);
}

static bool has_forgotten(const struct mc_writer *writer)
{
	return writer->forgotten != NULL;
}

static bool has_remove_files(const struct mc_writer *writer)
{
	return writer->remove_files != NULL;
}

static bool count_sending(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct mc_forgotten *result = argument;

	if (!latest->missing && result->sending++ == 0)
		snprintf(result->name, sizeof(result->name), "%s", mc_name(series));
	return true;
}

/* --- Files ----------------------------------------------------------------- */

struct ended_names {
	char **items;
	size_t len, room;
};

static bool add_name(void *argument, const struct mc_ended *ended)
{
	struct ended_names *names = argument;

	MC_ARRAY_GROW(names->items, names->len, names->room);
	names->items[names->len++] = alloc_copy(ended->name);
	return true;
}

/* It may have values again by now. */
static bool is_sending(struct mc_ctx *ctx, const char *name)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct mc_latest latest = { .missing = true };

	if (series != NULL)
		mc_latest(reading, series, &latest);
	mc_read_end(reading);
	return !latest.missing;
}

/* False, and the reason: a writer has not removed all that it has of it. */
static bool remove_files(struct engine *engine, const char *name, size_t *files, char *why)
{
	struct instance *instance = NULL;
	bool removed = true;

	while (removed && (instance = writers_next(engine, instance, has_remove_files)) != NULL) {
		char reason[MC_HISTORY_WHY] = "";

		if (instance->context.callbacks->remove_files(&instance->context.ctx, name, files,
							      reason) == 0)
			continue;
		snprintf(why, MC_HISTORY_WHY, "%.40s: %.200s", instance->context.ctx.name, reason);
		removed = false;
	}
	writers_leave(instance);
	return removed;
}

/* Of one series after the other: those whose files stay are not forgotten. */
static void forget_with_files(struct mc_ctx *ctx, const char *glob, struct mc_forgotten *result)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct ended_names names = { 0 };
	char why[MC_HISTORY_WHY];

	catalogue_each(engine->catalogue, glob, add_name, &names);
	for (size_t i = 0; i < names.len; i++) {
		const char *name = names.items[i];

		if (is_sending(ctx, name))
			snprintf(why, sizeof(why), "it has values again");
		else if (remove_files(engine, name, &result->files, why)) {
			result->len += catalogue_forget_one(engine->catalogue, name);
			continue;
		}
		if (result->kept++ == 0) {
			snprintf(result->name, sizeof(result->name), "%s", name);
			memcpy(result->why, why, sizeof(why));
		}
	}
	for (size_t i = 0; i < names.len; i++)
		free(names.items[i]);
	free(names.items);
}

/* --- The whole ------------------------------------------------------------- */

static void tell_writers(struct engine *engine, const char *glob)
{
	struct instance *instance = NULL;

	while ((instance = writers_next(engine, instance, has_forgotten)) != NULL)
		instance->context.callbacks->forgotten(&instance->context.ctx, glob);
}

int mc_forget(struct mc_ctx *ctx, const char *glob, bool files, struct mc_forgotten *result)
{
	struct engine *engine = instance_of(ctx)->engine;

	*result = (struct mc_forgotten){ 0 };
	mc_each_series(ctx, glob, count_sending, result);
	if (result->sending > 0)
		return -EBUSY;
	if (engine->catalogue != NULL && files)
		forget_with_files(ctx, glob, result);
	else if (engine->catalogue != NULL)
		result->len = catalogue_forget(engine->catalogue, glob);
	if (result->kept > 0)
		return -EIO;
	tell_writers(engine, glob);
	silent_hosts_forget(engine, glob);
	return 0;
}
