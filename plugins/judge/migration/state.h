/* SPDX-License-Identifier: MIT */
/* The state on disk, with which counters go on after a restart and after a kill, in two files.
 *
 * The text of record.h: a guest is appended whenever another process counts it, before its values
 * go on to the store, the journal and the writers.  The file of raws.h beside it: what each process
 * has counted, in memory that is mapped, so at once and without a call.  A kill at whatever moment
 * leaves in the two all that writers got, and perhaps more: what they did not get, as its sender
 * had no reply, is sent again, and is then the same number. */
#pragma once

#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/kit/state_file.h>

#include <pthread.h>

#include "moves.h"
#include "raws_file.h"

struct state {
	/* The caller's: 'lock' guards 'moves', and what is in 'raws'. */
	const char *path; /* NULL or "": nothing is kept. */
	pthread_mutex_t *lock;
	struct moves *moves;

	struct raws_file raws;
	struct mc_buffer waits;    /* Lines of what has begun to wait; 'lock' guards it. */
	pthread_mutex_t file_lock; /* Of appending alone; 'lock' is taken within. */
	struct mc_state_file file MC_GUARDED_BY(file_lock);
	int append_failed MC_GUARDED_BY(file_lock); /* An errno, or 0. */
	/* Thread: that of state_save(). */
	struct mc_once unwritable;
	mc_time saved;
	bool unsaved;
};

/* Reads what is there; before values come. */
void state_start(struct mc_ctx *, struct state *);

/* A sample has begun to wait.  The caller has 'lock'. */
void state_note_wait(struct state *, const struct moves_sample *, const struct mc_series *);

/* Guests that have changed, and what waits, if moves.dirty is set.  Thread: any. */
void state_append(struct state *);

/* Writes the rest; may wait for the disk. */
void state_save(struct mc_ctx *, struct state *);

/* After the last value; also if state_start() has not been called.  The counters are not to be
 * changed after it. */
void state_stop(struct mc_ctx *, struct state *);
