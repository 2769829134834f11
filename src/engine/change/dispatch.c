/* SPDX-License-Identifier: MIT */
/* The way of every batch: series by series into the store, then as one pointer to the queue of
 * each writer.  Work on the batch is done once for it; per sample there is one visit to its
 * series, and no lock, copy or format.
 *
 * Notifications go it, too.  So do the functions of the plugin API that commit
 * batches, or send notifications. */
#include "engine/change/engine_internal.h"

#include <collector/journal.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/alerts/alerts.h"
#include "engine/change/late.h"
#include "engine/judge/copies.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/notification.h"
#include "engine/write/route.h"
#include "engine/write/writer.h"

/* A judge does not get its own derived samples again, nor do the judges that took part before. */
static struct writer *derive(struct mc_batch *batch)
{
	const struct context *context = context_of(batch->ctx);

	if (context->plugin->judge == NULL || context->writer == NULL)
		return NULL;
	batch->lineage = route_lineage(context->writer);
	return context->writer;
}

/* Puts the batch into the queues of those writers that take it from here; the
 * others get it from the journal writer. */
static void put(const struct instance_set *instance_set, struct mc_batch *batch, bool wake)
{
	const struct writer *maker = instance_set->judges != NULL ? derive(batch) : NULL;
	uint32_t excluded = batch->excluded_all | batch->lineage;

	for (unsigned i = 0; i < instance_set->writers_len; i++) {
		struct writer *writer = instance_set->writers[i];

		if (writer == maker || (excluded != 0 && (excluded & route_of(writer)) != 0))
			continue;
		/* Those that are not routed get everything once. */
		if (batch->recipients != NULL && route_of(writer) == 0)
			continue;
		writer_put(writer, batch, wake);
	}
}

/* Makes the samples the last ones of their series; where there are judges, as
 * far as they take them. */
static void keep(struct engine *engine, struct mc_batch *batch, const struct judge_list *judges,
		 struct copies *copies)
{
	struct store *store = engine->registry.store;
	struct mc_sample *before;
	bool each;

	if (judges == NULL) {
		store_apply(store, batch);
		return;
	}
	if (store_apply_plain(store, batch, decision_plain(&engine->judges.decisions), &before))
		return;
	each = judge_batch(&engine->judges, judges, batch, before);
	store_apply_after(store, batch, before);
	if (each)
		judge_samples(&engine->judges, judges, batch, copies);
}

static void put_copies(struct engine *engine, const struct instance_set *instance_set,
		       const struct copies *copies, bool wake)
{
	for (size_t i = 0; i < copies->len; i++) {
		struct mc_batch *batch = copies->batches[i];

		put(instance_set, batch, wake);
		if (instance_set->journal_writer != NULL)
			journal_writer_put(instance_set->journal_writer, batch, wake);
		store_release(engine->registry.store, batch);
	}
	free(copies->batches);
}

static void apply(struct engine *engine, struct mc_batch *batch,
		  const struct instance_set *instance_set, bool wake)
{
	struct instance *instance = instance_of(batch->ctx);
	struct copies copies = { 0 };

	keep(engine, batch, instance_set->judges, &copies);
	if (batch->late != NULL)
		late_take(engine, instance_set, batch, &copies);
	instance->samples += batch->accepted;
	instance->refused += batch->refused;
	engine->samples += batch->accepted;
	engine->refused += batch->refused;
	if (batch->accepted > 0)
		put(instance_set, batch, wake);
	if (copies.len > 0)
		put_copies(engine, instance_set, &copies, wake);
}

void dispatch_batch(struct engine *engine, struct mc_batch *batch, bool wake)
{
	struct instance_set_reader visit;
	struct journal_writer *journal_writer;

	if (instance_of(batch->ctx)->recorded) {
		record_batch(engine, batch);
		return;
	}
	visit = instance_set_read_lock(&engine->instances);
	journal_writer = visit.instance_set->journal_writer;
	apply(engine, batch, visit.instance_set, wake);
	if (journal_writer != NULL && batch->accepted > 0)
		journal_writer_put(journal_writer, batch, wake);
	instance_set_read_unlock(&engine->instances, visit);
	store_release(engine->registry.store, batch);
}

void mc_commit_then(struct mc_batch *batch, mc_time limit, mc_committed *done, void *argument)
{
	struct engine *engine = instance_of(batch->ctx)->engine;
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	struct journal_writer *journal_writer = visit.instance_set->journal_writer;

	apply(engine, batch, visit.instance_set, true);
	instance_set_read_unlock(&engine->instances,
				 visit); /* The journal writer stays to the end. */
	/* One without a sample that is newer, too: what made it so may still
	 * be on its way to the journal, or have found that full. */
	if (journal_writer != NULL)
		journal_writer_put_then(journal_writer, batch, limit, done, argument);
	else
		done(argument, -ENOTSUP);
	store_release(engine->registry.store, batch);
}

bool mc_journal_has_room(struct mc_ctx *ctx)
{
	struct journal_writer *journal_writer = instance_of(ctx)->engine->journal_writer;

	return journal_writer == NULL || journal_writer_has_room(journal_writer);
}

void mc_commit_cancel(struct mc_ctx *ctx)
{
	struct journal_writer *journal_writer = instance_of(ctx)->engine->journal_writer;

	if (journal_writer != NULL)
		journal_writer_cancel(journal_writer, ctx);
}

void dispatch_wake(struct engine *engine)
{
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);

	if (visit.instance_set->journal_writer != NULL)
		journal_writer_wake(visit.instance_set->journal_writer);
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		writer_wake(visit.instance_set->writers[i]);
	instance_set_read_unlock(&engine->instances, visit);
}

/* Whether nobody has acknowledged or silenced it.  Changes of states are remembered where they are
 * set. */
static bool passes(struct engine *engine, const struct instance *source,
		   const struct mc_notification *notification)
{
	bool is_alert = source != NULL && source->context.plugin->judge != NULL;
	struct mc_id id = notification->id;
	char name[ALERTS_NAME_SIZE];

	if (id.plugin == NULL)
		id.plugin = "";
	alerts_name(&id, name);
	return alerts_pass(engine->alerts, name, notification, is_alert);
}

void dispatch_notification(struct engine *engine, const struct instance *source,
			   const struct mc_notification *notification)
{
	struct mc_notification full = *notification;
	struct instance_set_reader visit;
	bool people;

	if (full.time == 0)
		full.time = clock_wall();
	if (full.id.host == NULL)
		full.id.host = engine->host;
	engine->notifications++;
	people = passes(engine, source, &full);
	visit = instance_set_read_lock(&engine->instances);
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		if (people || !writer_is_for_people(visit.instance_set->writers[i]))
			notification_put(visit.instance_set->writers[i], source, &full);
	instance_set_read_unlock(&engine->instances, visit);
}

/* --- What plugins call ------------------------------------------------ */

void mc_each_dedup_id(struct mc_ctx *ctx, void (*show)(void *argument, const struct mc_dedup_id *),
		      void *argument)
{
	struct journal_writer *journal_writer = instance_of(ctx)->engine->journal_writer;

	if (journal_writer != NULL)
		journal_writer_show_receipts(journal_writer, show, argument);
}

void mc_commit(struct mc_batch *batch)
{
	dispatch_batch(instance_of(batch->ctx)->engine, batch, true);
}

void mc_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct instance *instance = instance_of(ctx);
	struct mc_notification full = *notification;

	if (full.id.plugin == NULL && full.id.host == NULL)
		full.id.plugin = instance->context.plugin->name;
	dispatch_notification(instance->engine, instance, &full);
}
