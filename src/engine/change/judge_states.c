/* SPDX-License-Identifier: MIT */
/* States of judges on their way to other collectors and from there. */
#include <collector/private/judge_states.h>

#include <collector/judge.h>

#include <errno.h>
#include <string.h>

#include "base/thread.h"
#include "engine/change/engine_internal.h"
#include "engine/change/writers.h"
#include "engine/write/writer.h"

void mc_hear_states(struct mc_ctx *ctx, mc_state_heard *heard)
{
	instance_of(ctx)->state_heard = heard;
}

/* Shows the state to all that hear, if there is one.  Whether somebody does. */
static bool publish(struct mc_ctx *ctx, const struct mc_judge_state *state)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	bool heard = false;

	for (unsigned i = 0; i < visit.instance_set->instances_len; i++) {
		struct instance *instance = visit.instance_set->instances[i];

		if (!instance->started || instance->state_heard == NULL)
			continue;
		heard = true;
		if (state != NULL)
			instance->state_heard(&instance->context.ctx, state);
	}
	instance_set_read_unlock(&engine->instances, visit);
	return heard;
}

bool mc_are_states_heard(struct mc_ctx *ctx)
{
	return publish(ctx, NULL);
}

void mc_report_state(struct mc_ctx *ctx, const struct mc_judge_state *state)
{
	struct mc_judge_state whole = *state;

	whole.judge = ctx->name;
	publish(ctx, &whole);
}

static int adopt(struct instance *instance, const struct mc_judge_state *state)
{
	const struct mc_judge *judge = instance->context.plugin->judge;

	if (judge == NULL || judge->adopt == NULL || !instance->started ||
	    strcmp(instance->context.ctx.name, state->judge) != 0)
		return -ENOENT;
	return judge->adopt(&instance->context.ctx, state) ? 0 : -EINVAL;
}

int mc_adopt_state(struct mc_ctx *ctx, const struct mc_judge_state *state)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	int rc = -ENOENT;

	for (unsigned i = 0; i < visit.instance_set->instances_len && rc == -ENOENT; i++)
		rc = adopt(visit.instance_set->instances[i], state);
	instance_set_read_unlock(&engine->instances, visit);
	return rc;
}

static bool has_write(const struct mc_writer *callbacks)
{
	return callbacks->write != NULL;
}

void mc_await_judges(struct mc_ctx *ctx, mc_time limit)
{
	struct engine *engine = instance_of(ctx)->engine;
	mc_time until = thread_time() + limit;
	struct instance *instance = NULL;

	while ((instance = writers_next(engine, instance, has_write)) != NULL) {
		const struct mc_judge *judge = instance->context.plugin->judge;

		if (judge != NULL && judge->adopt != NULL)
			writer_drain(instance->context.writer, until);
	}
}
