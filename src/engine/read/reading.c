/* SPDX-License-Identifier: MIT */
/* The part of an instance that belongs to read/. */
#include "engine/read/reading.h"

#include "base/timed_calls.h"
#include "engine/context.h"
#include "engine/read/file.h"

#include <collector/private/status.h>

void reading_done(struct reading *reading)
{
	timed_calls_free(reading->timed_calls);
	file_free(reading->files);
	file_free(reading->run_files);
	reading->timed_calls = NULL;
	reading->files = reading->run_files = NULL;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	context_of(ctx)->reading->failures++;
}
