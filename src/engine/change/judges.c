/* SPDX-License-Identifier: MIT */
/* The judges among the instances: when all is asked anew, and what of a series
 * is kept for those that rename it. */
#include "engine/change/judges.h"

#include <collector/judge.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "engine/change/engine_internal.h"
#include "engine/write/route.h"
#include "engine/write/slot.h"
#include "engine/write/writer.h"

static void add(struct judge_list *list, struct instance *instance)
{
	struct context *context = &instance->context;

	if (list->len == JUDGE_LIST_MAX) {
		log_error("%s: is not asked: there are %d judges before it", context->ctx.name,
			  JUDGE_LIST_MAX);
		return;
	}
	list->items[list->len++] = (struct judge){
		.ctx = &context->ctx,
		.callbacks = context->plugin->judge,
		.started = &instance->started,
	};
}

bool judges_find(struct instance_set *instance_set)
{
	struct judge_list *list = NULL;

	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		struct instance *instance = instance_set->instances[i];

		if (instance->context.plugin->judge == NULL)
			continue;
		if (list == NULL)
			list = alloc_zero(sizeof(*list));
		add(list, instance);
	}
	instance_set->judges = list;
	return list != NULL;
}

bool judges_rename(const struct instance_set *instance_set)
{
	const struct judge_list *list = instance_set->judges;

	for (unsigned i = 0; list != NULL && i < list->len; i++)
		if (list->items[i].callbacks->admit != NULL)
			return true;
	return false;
}

static void forget(void *argument, void *slot)
{
	judge_forget(argument, slot);
}

/* Takes a slot that is free, if one is needed; or lets series go that others were renamed into. */
static void settle_slot(struct engine *engine, struct mc_ctx *ctx)
{
	struct judges *judges = &engine->judges;
	bool needed = judges_rename(engine->instances.current);
	struct mc_batch *batch;

	for (unsigned i = 0; i < engine->slots_len && needed; i++)
		if (judges->slot == JUDGE_NO_SLOT && engine->slots[i] == NULL)
			judges->slot = i;
	if (needed && judges->slot == JUDGE_NO_SLOT)
		log_error("judges need a restart to rename series: there is no "
			  "room for it");
	if (needed || judges->slot == JUDGE_NO_SLOT)
		return;
	batch = store_begin(engine->registry.store, ctx);
	slot_clear(engine->registry.store, batch, judges->slot, forget, judges);
	store_release(engine->registry.store, batch);
}

void judges_report_unroutable(const char *name)
{
	log_error("%s: gets all series, whatever judges say: there have been %d writers before it",
		  name, JUDGE_ROUTES_MAX);
}

static void warn_unroutable(const struct instance_set *instance_set)
{
	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		const struct context *context = &instance_set->instances[i]->context;

		if (context->callbacks->write != NULL && !context->callbacks->on_request &&
		    route_of(context->writer) == 0)
			judges_report_unroutable(context->ctx.name);
	}
}

static void forget_states(struct store *store, struct mc_ctx *ctx)
{
	struct mc_batch *batch = store_begin(store, ctx); /* Keeps them. */
	struct mc_series **all;
	size_t len = store_all(store, &all);

	for (size_t i = 0; i < len; i++)
		mc_set_state(all[i], MC_STATE_UNKNOWN);
	free(all);
	store_release(store, batch);
}

void judges_renew(struct engine *engine, bool left)
{
	struct instance_set *instance_set = engine->instances.current;
	struct mc_ctx *self = engine_self(engine);

	if (left)
		forget_states(engine->registry.store, self);
	if (instance_set->judges == NULL && !left)
		return;
	settle_slot(engine, self);
	if (instance_set->judges != NULL)
		warn_unroutable(instance_set);
	decision_renew(&engine->judges.decisions);
}
