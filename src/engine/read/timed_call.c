/* SPDX-License-Identifier: MIT */
/* mc_timed_call() and mc_timed_file(): each instance has threads of its own for what may hang. */
#include <collector/kit/timed_call.h>

#include <stdatomic.h>

#include "base/slow_file.h"
#include "base/timed_calls.h"
#include "engine/context.h"
#include "engine/read/reading.h"

/* Made once, also when run() and another callback are the first. */
static struct timed_calls *calls_of(struct reading *reading)
{
	struct timed_calls *found = atomic_load(&reading->timed_calls), *made;

	if (found != NULL)
		return found;
	made = timed_calls_new();
	if (atomic_compare_exchange_strong(&reading->timed_calls, &found, made))
		return made;
	timed_calls_free(made);
	return found;
}

int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument)
{
	return timed_calls_run(calls_of(context_of(ctx)->reading), limit, call, argument);
}

int mc_timed_file(struct mc_ctx *ctx, const char *path)
{
	int rc;

	if (path == NULL)
		return 0;
	rc = slow_file_try(calls_of(context_of(ctx)->reading), path, NULL);
	if (rc == 0)
		return 0;
	return mc_fail(ctx, 0, "cannot read '%s': %s", path, slow_file_reason(rc));
}
