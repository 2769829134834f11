/* SPDX-License-Identifier: MIT */
/* Pages that plugins offer to the HTTP servers of others. */
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>

#include "engine/change/engine_internal.h"
#include "engine/change/instance.h"
#include "engine/change/writers.h"

static bool has_page(const struct mc_writer *writer)
{
	return writer->page != NULL;
}

int mc_page(struct mc_ctx *ctx, const struct mc_page_question *question, struct mc_page *page)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance *instance = writers_next(engine, NULL, has_page);
	int rc = -ENOENT;

	while (instance != NULL && rc == -ENOENT) {
		rc = instance->context.callbacks->page(&instance->context.ctx, question, page);
		if (rc == -ENOENT)
			instance = writers_next(engine, instance, has_page);
	}
	writers_leave(instance);
	return rc;
}
