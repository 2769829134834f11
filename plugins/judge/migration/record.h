/* SPDX-License-Identifier: MIT */
/* The state file: guests with what their counters go on with.  Pure.
 *
 *   collector-migration 1
 *   guest TIME HOST STREAM [OLD GENERATION]...
 *   series NAME LAST OFFSET [LAST OFFSET]...        of the guest before it
 *   end                                             of a file of a stop in good order
 *
 * with tabs between.  A guest that comes again takes the place of the one before.  Without "end" as
 * the last line, guests have counted on since. */
#pragma once

#include <stddef.h>

#include <collector/kit/buffer.h>

#include "moves.h"

#define RECORD_HEAD "collector-migration 1\n"
#define RECORD_END "end\n"
#define RECORD_AGE_MAX (86400 * MC_SECOND) /* Older ones are left out. */

/* Adds a guest and its series; nothing of one without a process that is known. */
void record_write(struct mc_buffer *text, struct moves_guest *, mc_time now);

/* Takes those of a file, which need not end with '\0' and is changed.  Returns how many lines were
 * damaged, or too old, or -1: it is not such a file. */
ptrdiff_t record_read(char *text, size_t size, struct moves *, mc_time now);
