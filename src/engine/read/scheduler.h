/* SPDX-License-Identifier: MIT */
/* When each instance reads, and on which thread.
 *
 * Reads are due on a grid of monotonic time that never drifts; a cycle that could not start in time
 * is skipped and counted.  One thread, the leader, wakes for all reads that are due together and
 * does the quick ones itself.  A read that is not known to be quick goes on alone: the leader hands
 * the lead to another thread first.  And if a quick one turns out to hang, a second thread, which
 * looks after the leader a moment after each wake-up, takes the lead over.  So nobody waits for a
 * reader that blocks, and in the normal case an interval costs two wake-ups. */
#pragma once

#include <collector/plugin.h>

#define SCHEDULER_PATIENCE (5 * MC_MILLISECOND) /* "Quick" is less. */
#define SCHEDULER_THREADS_MAX 256

struct mc_batch;
struct reading;
struct scheduler;
struct store;

struct scheduler_settings {
	const char *host;     /* Whose grid it is. */
	mc_time interval_max; /* To which failing readers slow down. */
	unsigned threads;     /* Kept for reads that take long. */
	struct store *store;  /* Where batches are begun. */

	/* Takes a batch that was read.  If not 'wake', it may leave it to wake(), which is called
	 * soon, to wake the waiting threads. */
	void (*commit)(void *argument, struct mc_batch *, bool wake);
	void (*wake)(void *argument);

	/* This process, or its machine, stood still for so long. */
	void (*slept)(void *argument, mc_time duration);

	void *argument; /* Of these; they are called without a lock held. */
};

/* None reads before scheduler_start(); then each that was added. */
struct scheduler *scheduler_new(const struct scheduler_settings *);
void scheduler_start(struct scheduler *);

/* Settings that may be changed while it runs: see struct scheduler_settings. */
void scheduler_set_limits(struct scheduler *, mc_time interval_max, unsigned threads);

/* Starts no more reads and waits for those that run; false if some still do at
 * 'until' (real time): their threads are abandoned. */
bool scheduler_stop(struct scheduler *, mc_time until);
void scheduler_free(struct scheduler *);

/* An instance that was started begins to read: at once, or at the next point of
 * its grid.  After the start, needs another read to be due at some time. */
void scheduler_add(struct scheduler *, struct reading *, bool at_once);

/* Lets an instance read no more, and waits for the read that runs; false if it
 * still does at 'until' (real time). */
bool scheduler_remove(struct scheduler *, struct reading *, mc_time until);

/* Whether a read of that instance runs now. */
bool scheduler_reads(struct scheduler *, struct reading *);

/* One read of one instance, in the caller's thread; 0 or what it returned. */
int scheduler_read(const struct scheduler_settings *, struct reading *);

/* True unless reads are due and nobody has started one for a while. */
bool scheduler_alive(struct scheduler *);

/* For tests: true when nothing is due, and all reads have ended but 'hanging'
 * of them, so that the clock may be stepped on. */
bool scheduler_settled(struct scheduler *, unsigned hanging);

struct scheduler_counts {
	unsigned threads, stuck;
};
void scheduler_count(struct scheduler *, struct scheduler_counts *);

/* How an instance stands: see struct mc_reader_status.  No scheduler, NULL:
 * without what only that knows. */
struct mc_reader_status;
void scheduler_status(struct scheduler *, struct reading *, struct mc_reader_status *);
