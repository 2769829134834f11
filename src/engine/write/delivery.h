/* SPDX-License-Identifier: MIT */
/* The thread of a writer: it takes notifications, batches and flushes as they come, from memory or
 * from the journal, and hands them to the plugin until that has them, or the time of a stop is
 * over. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct writer;

/* The instance is started.  A thread is made when there is something to do. */
void delivery_begin(struct writer *);

/* Waits for the end of the thread; false if it does not end by 'until'.  The rest, if it is in no
 * journal and for no successor, is dropped. */
bool delivery_join(struct writer *, mc_time until);
