/* SPDX-License-Identifier: MIT */
/* The part of an instance that belongs to read/: its schedule, and the files that its callbacks
 * keep open between two calls. */
#pragma once

#include <pthread.h>

#include <collector/plugin.h>

struct context;
struct files;
struct timed_calls;

struct reading {
	struct context *context;

	/* Guarded by the scheduler's lock. */
	mc_time due;          /* When the next read is to start. */
	mc_time interval;     /* Grown while the reader fails. */
	mc_time started;      /* Of the read that runs; 0: none runs. */
	mc_time late;         /* How late the last read started. */
	bool fast;            /* Its last read was quick: it may share a thread. */
	bool stuck;           /* The read that runs is past its deadline. */
	bool leaving;         /* It is not to read again. */
	struct reading *next; /* Of the reads that run. */

	/* Figures since the start; but for failures, written by one thread. */
	_Atomic uint64_t reads, failures, skipped;
	_Atomic mc_time duration, cpu;

	/* Of the thread that reads, without the lock. */
	bool in_vain; /* The last read failed and put nothing. */

	const char *root;        /* Before all paths of mc_path(). */
	struct files *files;     /* Of mc_read_file(), ... */
	struct files *run_files; /* ... and of its calls by run(). */
	pthread_t run_thread;    /* Set by run()'s thread, before 'running'. */
	_Atomic bool running;    /* run() does. */

	/* Made by the first mc_timed_call(). */
	struct timed_calls *_Atomic timed_calls;
};

/* Closes what its callbacks have kept open, none of which runs any more.  May be called again. */
void reading_done(struct reading *);
