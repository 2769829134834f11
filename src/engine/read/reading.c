/* SPDX-License-Identifier: MIT */
/* What read/ keeps of an instance. */
#include "engine/read/reading.h"

#include "engine/read/file.h"
#include "engine/read/timed_call.h"

void reading_done(struct reading *reading)
{
	timed_call_free(reading->timed_calls);
	file_free(reading->files);
	file_free(reading->run_files);
	reading->timed_calls = NULL;
	reading->files = reading->run_files = NULL;
}
