/* SPDX-License-Identifier: MIT */
/* Notices go to every instance that wants them, each through its own queue. */
#include "base/clock.h"
#include "engine/house.h"
#include "engine/writer.h"

void notice_send(struct engine *engine, const struct mc_notice *notice)
{
	struct mc_notice full = *notice;

	if (full.time == 0)
		full.time = clock_wall();
	if (full.id.host == NULL)
		full.id.host = engine->host;
	engine->notices++;
	for (unsigned i = 0; i < engine->writers_len; i++)
		writer_notify(engine->writers[i], &full);
}

void mc_notify(struct mc_ctx *ctx, const struct mc_notice *notice)
{
	struct instance *instance = instance_of(ctx);
	struct mc_notice full = *notice;

	if (full.id.plugin == NULL && full.id.host == NULL)
		full.id.plugin = instance->plugin->name;
	notice_send(instance->engine, &full);
}
