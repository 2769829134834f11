/* SPDX-License-Identifier: MIT */
/* The catalogue: every series that ever had a value, on disk.
 *
 * The store has the living series; the catalogue has in memory only the others, and in its file
 * both.  It takes the notes of the store (engine/store/notes.h) in a thread of its own, every
 * CATALOGUE_FLUSH, so that neither a value nor a new series waits for the disk, and so that a kill
 * loses only series that began since; the journal waits for those that have a metric.  While the
 * disk is full, the catalogue goes on in memory; the file is written anew from there when it can
 * be.
 *
 * A living series has no time of its end in the file: a record every minute, and at the stop, says
 * that all live.  After a start that would be wrong for series that have not come back: those are
 * written again after it, with their times, until CATALOGUE_GRACE is over and they have ended.
 * While they are very many, there is no such record.
 *
 * A series has its metric (engine/store/metric.h) in its record when it begins, and within a minute
 * after it got another one; series that have ended keep it in memory, too. */
#pragma once

#include <collector/private/catalogue.h>

struct catalogue;
struct store;

#define CATALOGUE_FLUSH (5 * MC_SECOND)
#define CATALOGUE_GRACE (600 * MC_SECOND)
#define CATALOGUE_LOAD (4 * MC_SECOND)     /* Nobody waits longer for the file to be read. */
#define CATALOGUE_NOTES ((size_t)64 << 20) /* Bytes of notes that wait at most. */

/* 'limit' is the number of ended series; 'path' is copied; batches are of 'self'. */
struct catalogue *catalogue_new(const char *path, size_t limit, struct store *,
				struct mc_ctx *self);
void catalogue_free(struct catalogue *); /* NULL is fine. */

/* Starts its thread, which first reads the file; stops it, and returns false if it has not ended
 * by then. */
void catalogue_start(struct catalogue *);
bool catalogue_stop(struct catalogue *, mc_time until);

/* Has the thread call 'scan' once, for catalogue_learn(), if the file was empty. */
void catalogue_scan_if_empty(struct catalogue *, void (*scan)(void *argument), void *argument);

enum catalogue_learning {
	CATALOGUE_LEARNED,
	CATALOGUE_KNEW,
	CATALOGUE_FULL, /* There are as many as may be: it was not added. */
	CATALOGUE_STOPS,
};

/* Adds a series of which there are files, or the times of one that it knows.  Thread: any. */
enum catalogue_learning catalogue_learn(struct catalogue *, const struct mc_ended *);

/* The work of the thread: reads the file; takes the notes, and writes them. */
void catalogue_load(struct catalogue *);
void catalogue_flush(struct catalogue *);

/* Waits until the metrics of series that have begun are in the file, as the journal does before it
 * writes values, which it then acknowledges: a kill after that loses no name of theirs.  Only once
 * if the disk hangs, up to CATALOGUE_WAIT; not at all while it is full.  Thread: any but its own.
 */
#define CATALOGUE_WAIT MC_SECOND
void catalogue_commit_metrics(struct catalogue *);

/* A series that does not live, also one that may still come back, with a copy of its name, to be
 * freed with free(), and its metric in 'metric' if it has one, to be released.  False without one.
 * Thread: any. */
bool catalogue_find(struct catalogue *, const char *name, size_t size, struct mc_ended *,
		    struct mc_metric *metric);

/* The metric of a series that does not live, also of one that may still come back; to be released.
 * False without one.  Waits up to CATALOGUE_LOAD until the file has been read.  Thread: any. */
bool catalogue_find_metric(struct catalogue *, const char *name, size_t size, struct mc_metric *);

/* Until when series are known to have lived before the start, since 1970; INT64_MAX: it is not
 * known. Thread: any. */
mc_time catalogue_lived_until(struct catalogue *);

/* Forgets all that match, also those that may still come back; returns how many.  Thread: any. */
size_t catalogue_forget(struct catalogue *, const char *glob);

/* The same for one name, which need not be known: 1 or 0. */
size_t catalogue_forget_one(struct catalogue *, const char *name);

/* Those that have ended, as <collector/private/catalogue.h> says; the second one shows those that
 * may still come back, too.  Thread: any. */
size_t catalogue_each(struct catalogue *, const char *glob,
		      bool (*show)(void *argument, const struct mc_ended *), void *argument);
size_t catalogue_each_absent(struct catalogue *, const char *glob,
			     bool (*show)(void *argument, const struct mc_ended *), void *argument);

/* See mc_each_awaited_host().  Thread: any. */
void catalogue_each_awaited_host(struct catalogue *,
				 void (*show)(void *argument, const char *host, mc_time last),
				 void *argument);
