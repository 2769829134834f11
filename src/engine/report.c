/* SPDX-License-Identifier: MIT */
/* Reports of a plugin: lines of the log, and why a callback fails.  Below the floors of the
 * engine, because their work for plugins may fail. */
#include <collector/plugin.h>

#include <errno.h>

#include "base/log.h"
#include "engine/context.h"

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_va(level, ctx->name, fmt, args);
	va_end(args);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	struct context *context = context_of(ctx);
	struct log_once *log_once = NULL;
	va_list args;

	if (context->writer != NULL)
		log_once = context->find_log_once(context->writer);
	va_start(args, fmt);
	log_once_reason(log_once != NULL ? log_once : &context->log_once, errnum, fmt, args);
	va_end(args);
	return errnum != 0 ? -errnum : -EINVAL;
}
