/* SPDX-License-Identifier: MIT */
/* A writer: one bounded queue and one thread for an instance that takes batches
 * or notifications.  Nothing it does, or fails to do, reaches another writer.
 *
 * The ledger closes at any time: accepted = delivered + queued + dropped. */
#pragma once

#include <collector/private/status.h>

#include "model/batch.h"

struct context;
struct writer;

/* Takes what it is given, but does nothing with it before delivery_begin(). */
struct writer *writer_new(struct context *, size_t limit_bytes);
void writer_free(struct writer *);

/* A queue that holds more than that shrinks when the next batch comes. */
void writer_set_limit(struct writer *, size_t limit_bytes);

/* Whether batches and notifications are wanted now; see mc_subscribe(). */
void writer_subscribe(struct writer *, bool on);

/* Puts a committed batch in the queue, a reference taken; the oldest ones go, counted, if it would
 * be over its limit.  Thread: any. */
void writer_put(struct writer *, struct mc_batch *, bool wake);

/* Wakes the thread for what was put without doing so. */
void writer_wake(struct writer *);

/* Whether its notifications go to people or their tools, not to a log or to whoever looks. */
bool writer_is_for_people(const struct writer *);

/* In the same order as batches. */
void writer_flush(struct writer *, mc_time age, const char *name);

/* Waits until nothing is queued; false if 'until', on the real clock, comes first. */
bool writer_drain(struct writer *, mc_time until);

/* Asks the thread to deliver what it can, flush, and call the plugin's stop(); does not wait.  At
 * 'until' the rest is dropped. */
void writer_stop(struct writer *, mc_time until);

/* Whether it was asked to.  Thread: any. */
bool writer_is_stopping(struct writer *);

/* Figures; 'failure' and 'name' are the caller's to fill. */
void writer_status(struct writer *, struct mc_writer_status *);
void writer_failure(struct writer *, char *out); /* LOG_ONCE_SIZE bytes. */
