/* SPDX-License-Identifier: MIT */
/* Series of files that are there become known to the catalogue: of a tree that somebody else has
 * written, or whose catalogue is lost. */
#include <collector/private/catalogue.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/catalogue/catalogue.h"
#include "engine/change/engine_internal.h"
#include "engine/change/learn.h"
#include "engine/change/writers.h"
#include "engine/store/metric.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"

struct learning {
	struct engine *engine;
	struct mc_ctx *ctx;
	struct mc_learned *result;
};

static bool has_each_stored(const struct mc_writer *writer)
{
	return writer->each_stored != NULL;
}

/* Whether the name can be that of a series, and is not that of a living one. */
static bool can_be_ended(const struct learning *learning, const struct mc_ended *ended)
{
	struct mc_reading *reading = mc_read_begin(learning->ctx);
	struct mc_series *series = registry_recreate(&learning->engine->registry, ended);
	struct mc_latest latest = { .missing = false };

	if (series != NULL)
		mc_latest(reading, series, &latest);
	mc_read_end(reading);
	return latest.missing;
}

/* False: it is enough. */
static bool learn_ended(const struct learning *learning, const struct mc_ended *ended)
{
	switch (catalogue_learn(learning->engine->catalogue, ended)) {
	case CATALOGUE_LEARNED:
		learning->result->len++;
		return true;
	case CATALOGUE_KNEW:
		return true;
	case CATALOGUE_FULL:
		learning->result->full = true;
		return false;
	case CATALOGUE_STOPS:
		return false;
	}
	return false;
}

static bool learn(void *argument, const struct mc_stored *stored)
{
	const struct learning *learning = argument;
	struct mc_metric metric = { .held = NULL };
	struct mc_ended ended = { .name = stored->name,
				  .first = stored->first,
				  .last = stored->last,
				  .interval = stored->interval };
	bool more;

	learning->result->files++;
	if (stored->metric != NULL &&
	    metric_make(store_metrics(learning->engine->registry.store), stored->metric, &metric))
		ended.metric = &metric;
	more = !can_be_ended(learning, &ended) || learn_ended(learning, &ended);
	mc_release_metric(&metric);
	return more;
}
void learn_from_files(struct engine *engine, struct mc_learned *result)
{
	struct learning learning = { engine, engine_self(engine), result };
	struct instance *instance = NULL;

	*result = (struct mc_learned){ 0 };
	if (engine->catalogue == NULL)
		return;
	while (!result->full &&
	       (instance = writers_next(engine, instance, has_each_stored)) != NULL)
		instance->context.callbacks->each_stored(&instance->context.ctx, learn, &learning);
	writers_leave(instance);
}

void learn_at_start(void *argument)
{
	struct engine *engine = argument;
	struct mc_learned result;
	mc_time begin = clock_now();

	learn_from_files(engine, &result);
	if (result.len > 0)
		log_note("%zu series of files that are there are known%s, after %.1f s", result.len,
			 result.full ? ", as many as CatalogueLimit" : "",
			 (double)(clock_now() - begin) * 1e-9);
}

void mc_learn(struct mc_ctx *ctx, struct mc_learned *result)
{
	learn_from_files(instance_of(ctx)->engine, result);
}
