/* SPDX-License-Identifier: MIT */
/* Batches of the second cadence go to writers that record; and these dump on request. */
#include <collector/private/recorded.h>

#include <errno.h>

#include "engine/change/engine_internal.h"
#include "engine/change/writers.h"
#include "engine/write/account.h"

void engine_set_recorded(struct instance *instance, bool recorded)
{
	instance->recorded = recorded;
}

bool mc_is_recorded(const struct mc_ctx *ctx)
{
	return instance_of(ctx)->recorded;
}

void record_batch(struct engine *engine, struct mc_batch *batch)
{
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	const struct instance_set *set = visit.instance_set;

	for (unsigned i = 0; i < set->instances_len; i++) {
		struct context *context = &set->instances[i]->context;

		if (context->callbacks->record != NULL && set->instances[i]->started)
			account_recorded(context->writer, batch->accepted,
					 context->callbacks->record(&context->ctx, batch));
	}
	instance_of(batch->ctx)->samples += batch->accepted;
	instance_set_read_unlock(&engine->instances, visit);
	store_release(engine->registry.store, batch);
}

static bool can_dump(const struct mc_writer *writer)
{
	return writer->dump != NULL;
}

int engine_dump(struct engine *engine, const char *why, char *where, size_t size)
{
	struct instance *instance = writers_next(engine, NULL, can_dump);
	int rc = instance != NULL ? 0 : -ENOENT;
	bool first = true;

	while (instance != NULL) {
		char other[MC_DUMP_WHERE_SIZE];
		int done = instance->context.callbacks->dump(&instance->context.ctx, why,
							     first ? where : other,
							     first ? size : sizeof(other));

		rc = rc < 0 ? rc : done;
		first = false;
		instance = writers_next(engine, instance, can_dump);
	}
	return rc;
}

int mc_dump(struct mc_ctx *ctx, const char *why, char *where, size_t size)
{
	return engine_dump(instance_of(ctx)->engine, why, where, size);
}
