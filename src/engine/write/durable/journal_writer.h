/* SPDX-License-Identifier: MIT */
/* The journal writer: a thread that writes batches into the journal and then offers them to the
 * durable writers.  It merges what comes together, so that a thousand batches are not a thousand
 * system calls, and no reader or receiver waits for the disk.
 *
 * When the journal cannot be written, batches go to the writers all the same,
 * without its protection, counted.  When the disk hangs, the oldest of those
 * that wait for it are dropped, counted for every durable writer. */
#pragma once

#include <collector/plugin.h>
#include <collector/serve.h>

#include "engine/journal/journal.h"

struct instance_sets;
struct journal_writer;
struct store;
struct writer;

/* Opens the journal; NULL, logged, if it cannot.  Batches are of 'store', and
 * go to the durable writers among 'instances'; labels of hosts are those that
 * mc_each_label() shows 'ctx', which lives longer. */
struct journal_writer *journal_writer_new(const struct journal_settings *,
					  struct instance_sets *instances, struct store *,
					  struct mc_ctx *ctx, size_t limit_bytes);
void journal_writer_free(struct journal_writer *);

/* Bytes that wait for the disk at most; the excess goes when the next batch comes. */
void journal_writer_set_limit(struct journal_writer *, size_t limit_bytes);

/* Has the thread call 'before' whenever it is about to write batches: what they refer to can become
 * safe before they are.  Before the start; it does not take longer than a second. */
void journal_writer_call_before(struct journal_writer *, void (*before)(void *argument),
				void *argument);

/* Begins to take batches. */
void journal_writer_start(struct journal_writer *);

/* Holds the thread between two records, and lets it go on: meanwhile batches wait.  False if it is
 * still busy at 'until': the disk hangs.  Before the start there is nothing to hold. */
bool journal_writer_hold(struct journal_writer *, mc_time until);
void journal_writer_go_on(struct journal_writer *);

/* Gives a durable writer its cursor in the journal.  Before the start, or while
 * the thread is held. */
void journal_writer_attach(struct journal_writer *, struct writer *);

/* Takes a committed batch, a reference taken.  Thread: any. */
void journal_writer_put(struct journal_writer *, struct mc_batch *, bool wake);

/* See mc_journal_has_room(). */
bool journal_writer_has_room(struct journal_writer *);

/* Wakes the thread for what was put without doing so. */
void journal_writer_wake(struct journal_writer *);

/* The same, and calls back when the batch is as safe as the journal makes it; see
 * mc_commit_then(). */
void journal_writer_put_then(struct journal_writer *, struct mc_batch *, mc_time limit,
			     mc_committed *done, void *argument);

/* See mc_commit_cancel(). */
void journal_writer_cancel(struct journal_writer *, const struct mc_ctx *);

/* See mc_each_dedup_id(). */
void journal_writer_show_receipts(struct journal_writer *,
				  void (*show)(void *argument, const struct mc_dedup_id *),
				  void *argument);

/* Waits until all is offered that was put; false if 'until' comes first. */
bool journal_writer_drain(struct journal_writer *, mc_time until);

/* Writes what was put and ends; false if that does not end by 'until'.  The rest is dropped, and
 * so are batches put afterwards: writers may still commit their own measurements. */
bool journal_writer_stop(struct journal_writer *, mc_time until);

struct journal_writer_status {
	struct journal_status journal;
	uint64_t bypassed;     /* Samples that went on without. */
	uint64_t dropped;      /* Samples: the disk hung. */
	uint64_t queued;       /* Samples that no writer was offered yet. */
	mc_time failing_since; /* It fails, or its disk hangs, since then
				* (1970); 0: neither. */
};
void journal_writer_count(struct journal_writer *, struct journal_writer_status *);
