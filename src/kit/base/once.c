/* SPDX-License-Identifier: MIT */
#include <collector/kit/once.h>
#include <collector/private/status.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 512 /* Longer texts are cut. */

void mc_complain(struct mc_ctx *ctx, struct mc_once *once, int errnum, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	va_list args;
	int size;

	va_start(args, fmt);
	size = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (errnum != 0 && size >= 0 && (size_t)size < sizeof(text))
		snprintf(text + size, sizeof(text) - (size_t)size, ": %s", strerror(errnum));
	mc_count_failure(ctx);
	if (mc_once_failed(once, mc_once_sum(text)))
		mc_log(ctx, MC_WARN, "%s", text);
}

void mc_works(struct mc_ctx *ctx, struct mc_once *once, const char *fmt, ...)
{
	uint64_t failures = mc_once_worked(once);
	char text[TEXT_SIZE];
	va_list args;

	if (failures == 0)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	mc_log(ctx, MC_NOTE, "%s after %" PRIu64 " failure%s", text, failures,
	       failures == 1 ? "" : "s");
}
