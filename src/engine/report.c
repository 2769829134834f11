/* SPDX-License-Identifier: MIT */
/* What a plugin says of itself: lines of the log, and why a callback fails.
 * Below the floors of the engine, because what they do for plugins may fail. */
#include "engine/change/engine_internal.h"

#include <collector/plugin.h>

#include <errno.h>

#include "base/log.h"
#include "engine/write/writer.h"

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_va(level, ctx->name, fmt, args);
	va_end(args);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	struct instance *instance = instance_of(ctx);
	struct log_once *log_once = writer_log_once(instance->writer);
	va_list args;

	va_start(args, fmt);
	log_once_reason(log_once != NULL ? log_once : &instance->log_once,
			errnum, fmt, args);
	va_end(args);
	return errnum != 0 ? -errnum : -EINVAL;
}
