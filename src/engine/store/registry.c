/* SPDX-License-Identifier: MIT */
/* Makes series of names: in the store, of a type, in a unit. */
#include "engine/store/registry.h"

#include <collector/private/catalogue.h>
#include <collector/private/status.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context.h"
#include "engine/store/metric.h"
#include "engine/store/quota/quota.h"
#include "engine/store/store.h"
#include "engine/store/unit.h"
#include "model/type.h"

static struct registry *registry_of(const struct mc_ctx *ctx)
{
	return context_of(ctx)->registry;
}

double mc_timeout(const struct mc_ctx *ctx)
{
	return store_timeout(registry_of(ctx)->store);
}

struct mc_batch *mc_begin(struct mc_ctx *ctx)
{
	return store_begin(registry_of(ctx)->store, ctx);
}

void mc_discard(struct mc_batch *batch)
{
	store_release(registry_of(batch->ctx)->store, batch);
}

/* Reading is a batch without samples: it pins an epoch, and so what is found in it. */
static struct mc_batch *batch_of(struct mc_reading *reading)
{
	return (struct mc_batch *)reading;
}

struct mc_reading *mc_read_begin(struct mc_ctx *ctx)
{
	return (struct mc_reading *)mc_begin(ctx);
}

void mc_read_end(struct mc_reading *reading)
{
	mc_discard(batch_of(reading));
}

struct mc_quota *mc_quota_new(struct mc_ctx *ctx, enum mc_quota_kind kind, const char *name,
			      const struct mc_quota_limits *limits)
{
	const struct quota_name key = { ctx->name, name };

	return store_quota_new(registry_of(ctx)->store, &key, kind, limits);
}

void mc_each_quota(struct mc_ctx *ctx,
		   void (*visit)(void *argument, const struct mc_quota_status *), void *argument)
{
	store_each_quota(registry_of(ctx)->store, visit, argument);
}

/* A name that cannot be is the fault of who made it up: it is counted with the samples that come to
 * nothing, and logged when it is a new reason, whatever the name is. */
static struct mc_series *refuse(struct mc_batch *batch, const char *name, const char *why)
{
	struct context *context = context_of(batch->ctx);

	log_once_hint(&context->refusals, context->ctx.name, why,
		      "series '%.200s' is refused: it %s", name, why);
	return NULL;
}

static struct mc_series *series_in(struct mc_batch *batch, struct mc_id id, const char *unit)
{
	struct context *context = context_of(batch->ctx);
	struct registry *registry = context->registry;
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	const struct mc_type *type;
	struct mc_series *series;
	const char *fault;
	char beyond[QUOTA_FAULT_SIZE];
	int rc;

	if (id.host == NULL)
		id.host = context->ctx.host;
	if (id.plugin == NULL)
		id.plugin = context->plugin->name;
	if (!series_join(&id, name, &parts))
		return refuse(batch, id.type != NULL ? id.type : "",
			      "has a part of more than 127 bytes");
	series = store_find_for(registry->store, batch, name, series_name_size(&parts));
	if (series != NULL)
		return series;
	fault = series_fault(&parts);
	if (fault != NULL)
		return refuse(batch, name, fault);
	type = type_set_find(registry->types, id.type, strlen(id.type));
	if (type == NULL)
		return refuse(batch, name, "has a type that no types.db knows");
	type = unit_type(registry->units, type, unit);
	rc = store_make(registry->store, &parts, type, batch->quota, &series);
	if (rc == 0)
		return series;
	return refuse(batch, name,
		      rc == -ENOSPC ? "is beyond the limit of series"
				    : quota_fault(batch->quota, rc, beyond));
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	return series_in(batch, id, NULL);
}

/* Copies one part of a name that was put together; the end of it. */
static const char *copy_part(char out[SERIES_PART_MAX + 2], const char *from, size_t size)
{
	size_t kept = size > SERIES_PART_MAX + 1 ? SERIES_PART_MAX + 1 : size;

	memcpy(out, from, kept);
	out[kept] = '\0';
	return from + size;
}

/* The same of an instance, which has a '-' before it unless it is empty. */
static const char *copy_instance(char out[SERIES_PART_MAX + 2], const char *from, size_t size)
{
	return copy_part(out, from + (size > 0), size);
}

struct parts_text { /* Of a name that was put together. */
	char items[5][SERIES_PART_MAX + 2];
};

static struct mc_id take_apart(const struct mc_name_parts *parts, struct parts_text *text)
{
	const char *at = parts->name;

	at = copy_part(text->items[0], at, parts->host_size);
	at = copy_part(text->items[1], at + 1, parts->plugin_size);
	at = copy_instance(text->items[2], at, parts->plugin_instance_size);
	at = copy_part(text->items[3], at + 1, parts->type_size);
	copy_instance(text->items[4], at, parts->type_instance_size);
	return (struct mc_id){ text->items[0], text->items[1], text->items[2], text->items[3],
			       text->items[4] };
}

struct mc_series *mc_series_in(struct mc_batch *batch, const struct mc_name_parts *parts,
			       const char *unit)
{
	struct registry *registry = registry_of(batch->ctx);
	struct parts_text text;
	struct mc_series *series;

	series = store_find_for(registry->store, batch, parts->name, series_name_size(parts));
	return series != NULL ? series : series_in(batch, take_apart(parts, &text), unit);
}

struct mc_series *mc_series_named(struct mc_batch *batch, const struct mc_name_parts *parts)
{
	return mc_series_in(batch, parts, NULL);
}

struct mc_series *mc_find_named(struct mc_batch *batch, const struct mc_name_parts *parts)
{
	struct registry *registry = registry_of(batch->ctx);
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts own;
	struct parts_text text;
	struct mc_series *series;
	struct mc_id id;

	series = store_find_for(registry->store, batch, parts->name, series_name_size(parts));
	if (series != NULL)
		return series;
	id = take_apart(parts, &text);
	return series_join(&id, name, &own)
		       ? store_find_for(registry->store, batch, name, series_name_size(&own))
		       : NULL;
}

struct mc_series *mc_find_for(struct mc_batch *batch, const char *name, size_t size)
{
	return store_find_for(registry_of(batch->ctx)->store, batch, name, size);
}

/* --- Series that have ended ------------------------------------------------- */

struct mc_series *mc_find(struct mc_reading *reading, const char *name, size_t size)
{
	struct registry *registry = registry_of(batch_of(reading)->ctx);
	struct mc_series *series = mc_find_for(batch_of(reading), name, size);
	struct mc_metric metric = { .held = NULL };
	struct mc_ended ended;

	if (series != NULL || registry->past.find == NULL ||
	    !registry->past.find(registry->past.argument, name, size, &ended, &metric))
		return series;
	series = registry_recreate(registry, &ended);
	mc_release_metric(&metric);
	free((char *)ended.name);
	return series;
}

void mc_latest(struct mc_reading *reading, struct mc_series *series, struct mc_latest *latest)
{
	store_latest(registry_of(batch_of(reading)->ctx)->store, series, latest);
}

const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name)
{
	return type_set_find(registry_of(ctx)->types, name, strlen(name));
}

void registry_recall_metric(struct registry *registry, struct mc_series *series)
{
	struct mc_metric metric;

	if (registry->past.find_metric == NULL ||
	    !registry->past.find_metric(registry->past.argument, series->name, series->name_size,
					&metric))
		return;
	metric_give(series, (struct metric_kept *)metric.held);
	mc_release_metric(&metric);
}
