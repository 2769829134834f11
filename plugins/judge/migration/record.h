/* SPDX-License-Identifier: MIT */
/* The state file: guests, with the sums with which their counters go on.  Pure.
 *
 *   collector-migration 1
 *   guest TIME HOST STREAM [OLD GENERATION]...
 *   series NAME LAST OFFSET [LAST OFFSET]...        of the guest before it
 *   of PROCESS                                      of the series before it
 *   past PROCESS ENDED AT [ENDED AT]...             of the same
 *   moved TIME FROM TO DOWNTIME DURATION            of the guest, in milliseconds; "-": unknown
 *   wait TIME INTERVAL HOST STREAM PLUGIN INSTANCE TYPE TYPE INSTANCE VALUE [VALUE]...
 *                                                   waits for the old host of a guest
 *   end                                             of a file of a stop in good order
 *
 * with tabs between.  A guest that comes again takes the place of the one before.  A series counts
 * in the current process, unless "of" says in which.  Numbers of processes are those in the line of
 * the guest: 1 the current one, then the others, the last one first.  Waiting samples are after the
 * line of its guest, and wait no more after the next one.  Without "end" as the last line, guests
 * have counted on since: see counters.h. */
#pragma once

#include <stddef.h>

#include <collector/kit/buffer.h>

#include "moves.h"

#define RECORD_HEAD "collector-migration 1\n"
#define RECORD_END "end\n"
#define RECORD_AGE_MAX (86400 * MC_SECOND) /* Older ones are left out. */

/* Adds a guest and its series; nothing of one without a process that is known. */
void record_write(struct mc_buffer *text, struct moves_guest *, mc_time now);

/* A sample that waits; values are as their 64 bits. */
struct record_wait {
	struct record_wait *next;
	mc_time time, interval;
	const char *host, *stream, *plugin_instance, *type, *type_instance;
	unsigned values_len;
	union mc_value values[MC_SOURCES_MAX];
	unsigned restores; /* Of its guest, when it was read. */
	char text[];       /* The words that those above point to. */
};

void record_write_wait(struct mc_buffer *text, const struct record_wait *);

/* Takes those of a file, which need not end with '\0' and is changed.  Returns how many lines were
 * damaged, or too old, or -1: it is not such a file.  '*waits' are those that wait, to be freed. */
ptrdiff_t record_read(char *text, size_t size, struct moves *, mc_time now,
		      struct record_wait **waits);
void record_free_waits(struct record_wait *);
