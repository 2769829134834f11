/* SPDX-License-Identifier: MIT */
/* The recorder: a thread that writes batches into the journal and then offers
 * them to the durable writers.  It gathers what comes together, so that a
 * thousand batches are not a thousand system calls, and nobody who reads or
 * receives waits for the disk.
 *
 * When the journal cannot be written, batches go to the writers all the same,
 * without its protection, counted.  When the disk hangs, the oldest of those
 * that wait for it are dropped, counted for every durable writer. */
#ifndef COLLECTOR_ENGINE_RECORDER_H
#define COLLECTOR_ENGINE_RECORDER_H

#include <collector/plugin.h>

#include "engine/journal.h"

struct engine;
struct recorder;
struct writer;

/* Opens the journal; NULL, logged, if it cannot. */
struct recorder *recorder_new(struct engine *, const struct journal_settings *);
void recorder_free(struct recorder *);

/* Bytes that wait for the disk at most; what is too much goes when the next
 * batch comes. */
void recorder_set_limit(struct recorder *, size_t limit_bytes);

/* Begins to take batches. */
void recorder_start(struct recorder *);

/* Holds the thread between two records, and lets it go on: meanwhile batches
 * wait.  False if it is still busy at 'until': the disk hangs.  Before the
 * start there is nothing to hold. */
bool recorder_hold(struct recorder *, mc_time until);
void recorder_go_on(struct recorder *);

/* Gives a durable writer its place in the journal.  Before the start, or while
 * the thread is held. */
void recorder_attach(struct recorder *, struct writer *);

/* Takes a committed batch, a reference taken.  Any thread. */
void recorder_put(struct recorder *, struct mc_batch *, bool wake);

/* See mc_journal_has_room(). */
bool recorder_has_room(struct recorder *);

/* Wakes the thread for what was put without doing so. */
void recorder_wake(struct recorder *);

/* The same, and tells when the batch is as safe as the journal makes it; see
 * mc_commit_then(). */
void recorder_put_then(struct recorder *, struct mc_batch *, mc_time limit,
		       mc_committed *done, void *argument);

/* See mc_commit_cancel(). */
void recorder_cancel(struct recorder *, const struct mc_ctx *);

/* See mc_receipts(). */
void recorder_show_receipts(struct recorder *,
			    void (*show)(void *argument,
					 const struct mc_receipt *),
			    void *argument);

/* Waits until all is offered that was put; false if 'until' comes first. */
bool recorder_drain(struct recorder *, mc_time until);

/* Writes what was put and ends; false if that does not end by 'until'.  What is
 * left is dropped, and so is what is put afterwards: who writes may still
 * commit what it measures itself. */
bool recorder_stop(struct recorder *, mc_time until);

struct recorder_status {
	struct journal_status journal;
	uint64_t bypassed;     /* Samples that went on without. */
	uint64_t dropped;      /* Samples: the disk hung. */
	uint64_t queued;       /* Samples that no writer was offered yet. */
	mc_time failing_since; /* It fails, or its disk hangs, since then
				* (1970); 0: neither. */
};
void recorder_count(struct recorder *, struct recorder_status *);

#endif
