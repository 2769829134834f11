/* SPDX-License-Identifier: MIT */
/* The way of every batch: series by series into the store, then as one pointer
 * to the queue of each writer.  What belongs to the batch is done once for it;
 * per sample there is one visit to its series, and no lock, copy or format.
 *
 * The functions of plugin.h and serve.h that make batches are here. */
#include "engine/change/engine_internal.h"

#include <collector/journal.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "engine/store/unit.h"
#include "engine/write/journal_writer.h"
#include "engine/write/slot.h"
#include "engine/write/writer.h"
#include "model/type.h"

/* Makes the samples the last ones of their series, and puts the batch into the
 * queues of those writers that take it from here; the others get it from the
 * journal writer. */
static void apply(struct engine *engine, struct mc_batch *batch,
		  const struct instance_set *instance_set,
		  enum dispatch_wake wake)
{
	struct instance *instance = instance_of(batch->ctx);

	store_apply(engine->store, batch);
	instance->samples += batch->accepted;
	instance->refused += batch->refused;
	engine->samples += batch->accepted;
	engine->refused += batch->refused;
	if (batch->accepted == 0)
		return;
	for (unsigned i = 0; i < instance_set->writers_len; i++)
		writer_put(instance_set->writers[i], batch,
			   wake == DISPATCH_WAKE);
}

void dispatch_batch(struct engine *engine, struct mc_batch *batch,
		    enum dispatch_wake wake)
{
	struct instance_set_reader visit = instance_set_read_lock(engine);
	struct journal_writer *journal_writer =
		visit.instance_set->journal_writer;

	apply(engine, batch, visit.instance_set, wake);
	if (journal_writer != NULL && batch->accepted > 0)
		journal_writer_put(journal_writer, batch,
				   wake == DISPATCH_WAKE);
	instance_set_read_unlock(engine, visit);
	store_release(engine->store, batch);
}

void mc_commit_then(struct mc_batch *batch, mc_time limit, mc_committed *done,
		    void *argument)
{
	struct engine *engine = instance_of(batch->ctx)->engine;
	struct instance_set_reader visit = instance_set_read_lock(engine);
	struct journal_writer *journal_writer =
		visit.instance_set->journal_writer;

	apply(engine, batch, visit.instance_set, DISPATCH_WAKE);
	instance_set_read_unlock(
		engine, visit); /* The journal writer stays to the end. */
	/* One without a sample that is newer, too: what made it so may still
	 * be on its way to the journal, or have found that full. */
	if (journal_writer != NULL)
		journal_writer_put_then(journal_writer, batch, limit, done,
					argument);
	else
		done(argument, -ENOTSUP);
	store_release(engine->store, batch);
}

bool mc_journal_has_room(struct mc_ctx *ctx)
{
	struct journal_writer *journal_writer =
		instance_of(ctx)->engine->journal_writer;

	return journal_writer == NULL ||
	       journal_writer_has_room(journal_writer);
}

void mc_commit_cancel(struct mc_ctx *ctx)
{
	struct journal_writer *journal_writer =
		instance_of(ctx)->engine->journal_writer;

	if (journal_writer != NULL)
		journal_writer_cancel(journal_writer, ctx);
}

void dispatch_wake(struct engine *engine)
{
	struct instance_set_reader visit = instance_set_read_lock(engine);

	if (visit.instance_set->journal_writer != NULL)
		journal_writer_wake(visit.instance_set->journal_writer);
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		writer_wake(visit.instance_set->writers[i]);
	instance_set_read_unlock(engine, visit);
}

/* --- What plugins call ------------------------------------------------ */

void mc_each_dedup_id(struct mc_ctx *ctx,
		      void (*show)(void *argument, const struct mc_dedup_id *),
		      void *argument)
{
	struct journal_writer *journal_writer =
		instance_of(ctx)->engine->journal_writer;

	if (journal_writer != NULL)
		journal_writer_show_receipts(journal_writer, show, argument);
}

struct mc_batch *mc_begin(struct mc_ctx *ctx)
{
	return store_begin(instance_of(ctx)->engine->store, ctx);
}

struct mc_quota *mc_quota_new(struct mc_ctx *ctx, uint64_t series,
			      double per_second)
{
	return store_quota_new(instance_of(ctx)->engine->store, series,
			       per_second);
}

void mc_commit(struct mc_batch *batch)
{
	dispatch_batch(instance_of(batch->ctx)->engine, batch, DISPATCH_WAKE);
}

void mc_discard(struct mc_batch *batch)
{
	store_release(instance_of(batch->ctx)->engine->store, batch);
}

/* A name that cannot be is the fault of who made it up: it is counted with the
 * samples that come to nothing, and logged when it is a new reason. */
static struct mc_series *refuse(struct mc_batch *batch, const char *name,
				const char *why)
{
	struct instance *instance = instance_of(batch->ctx);

	log_once_hint(&instance->refusals, instance->name,
		      "series '%.200s' is refused: it %s", name, why);
	return NULL;
}

static struct mc_series *series_in(struct mc_batch *batch, struct mc_id id,
				   const char *unit)
{
	struct instance *instance = instance_of(batch->ctx);
	struct engine *engine = instance->engine;
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	const struct mc_type *type;
	struct mc_series *series;
	const char *fault;

	if (id.host == NULL)
		id.host = engine->host;
	if (id.plugin == NULL)
		id.plugin = instance->plugin->name;
	if (!series_join(&id, name, &parts))
		return refuse(batch, id.type != NULL ? id.type : "",
			      "has a part of more than 127 bytes");
	series = store_find_for(engine->store, batch, name,
				series_name_size(&parts));
	if (series != NULL)
		return series;
	fault = series_fault(&parts);
	if (fault != NULL)
		return refuse(batch, name, fault);
	type = type_set_find(engine->live.types, id.type, strlen(id.type));
	if (type == NULL)
		return refuse(batch, name, "has a type that no types.db knows");
	type = unit_type(engine->units, type, unit);
	series = store_make(engine->store, &parts, type, batch->quota);
	if (series != NULL)
		return series;
	return refuse(batch, name,
		      batch->quota == NULL
			      ? "is beyond the limit of series"
			      : "is beyond the limit of series, or that of its "
				"sender");
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	return series_in(batch, id, NULL);
}

/* Copies one part of a name that was put together; the part after it. */
static const char *copy_part(char out[SERIES_PART_MAX + 2], const char *from,
			     size_t size)
{
	size_t kept = size > SERIES_PART_MAX + 1 ? SERIES_PART_MAX + 1 : size;

	memcpy(out, from, kept);
	out[kept] = '\0';
	return from + size + (size > 0);
}

struct parts_text { /* Of a name that was put together. */
	char items[5][SERIES_PART_MAX + 2];
};

static struct mc_id take_apart(const struct mc_name_parts *parts,
			       struct parts_text *text)
{
	const char *at = parts->name;

	at = copy_part(text->items[0], at, parts->host_size);
	at = copy_part(text->items[1], at, parts->plugin_size);
	at = copy_part(text->items[2], at, parts->plugin_instance_size);
	at = copy_part(text->items[3], at, parts->type_size);
	copy_part(text->items[4], at, parts->type_instance_size);
	return (struct mc_id){ text->items[0], text->items[1], text->items[2],
			       text->items[3], text->items[4] };
}

struct mc_series *mc_series_in(struct mc_batch *batch,
			       const struct mc_name_parts *parts,
			       const char *unit)
{
	struct engine *engine = instance_of(batch->ctx)->engine;
	struct parts_text text;
	struct mc_series *series;

	series = store_find_for(engine->store, batch, parts->name,
				series_name_size(parts));
	return series != NULL
		       ? series
		       : series_in(batch, take_apart(parts, &text), unit);
}

struct mc_series *mc_series_named(struct mc_batch *batch,
				  const struct mc_name_parts *parts)
{
	return mc_series_in(batch, parts, NULL);
}

struct mc_series *mc_find_named(struct mc_batch *batch,
				const struct mc_name_parts *parts)
{
	struct engine *engine = instance_of(batch->ctx)->engine;
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts own;
	struct parts_text text;
	struct mc_series *series;
	struct mc_id id;

	series = store_find_for(engine->store, batch, parts->name,
				series_name_size(parts));
	if (series != NULL)
		return series;
	id = take_apart(parts, &text);
	return series_join(&id, name, &own)
		       ? store_find_for(engine->store, batch, name,
					series_name_size(&own))
		       : NULL;
}

void **mc_slot(struct mc_ctx *ctx, const struct mc_series *series)
{
	return &series_slots(series)[slot_of(instance_of(ctx)->writer)];
}
