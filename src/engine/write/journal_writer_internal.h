/* SPDX-License-Identifier: MIT */
/* The inside of the journal writer, for journal_writer.c, and for
 * journal_writer_watch.c, which looks after a disk that hangs. */
#ifndef COLLECTOR_ENGINE_WRITE_JOURNAL_WRITER_INTERNAL_H
#define COLLECTOR_ENGINE_WRITE_JOURNAL_WRITER_INTERNAL_H

#include "engine/write/journal_writer.h"
#include "engine/write/queue.h"
#include "engine/write/waiters.h"

struct mc_otlp_writer;

struct member { /* Of the group that is being written. */
	struct mc_batch *batch;
	struct mc_offset offset;
	uint32_t records; /* 0: it is not in the journal. */
};

struct journal_writer {
	struct instance_sets *instances; /* The writers of now. */
	struct store *store;
	struct journal *journal;
	struct mc_otlp_writer *encoder;
	struct member *group;
	bool dirty; /* Records were added since the last tick. */
	mc_time ticked;
	uint64_t dropped_segments; /* When the writers were told of it. */
	_Atomic uint64_t bypassed, dropped;

	pthread_cond_t change;
	pthread_mutex_t lock; /* Guards all below. */
	struct queue queue;   /* Only batches. */
	size_t queued_bytes, limit;
	uint64_t sequence; /* Batches that were put. */
	struct waiters waiters, answered;
	bool telling; /* waiters_tell() runs. */
	bool waiting, lingering, fast, busy, begun, stopping, done;
	bool held;  /* The thread is not to become busy. */
	bool ended; /* After journal_writer_stop(): nothing is taken any more.
		     */
	mc_time woken; /* Real time. */
	pthread_t thread;

	/* Samples that were put and not offered yet. */
	_Atomic uint64_t queued;

	/* See journal_writer_watch.c; guarded by the lock, too. */
	mc_time busy_since; /* Real time. */
	mc_time hanging;    /* The disk, since then (1970); 0: it does not. */
	bool watching, watch_idle, watch_ends;
	pthread_cond_t watch;
	pthread_t watcher;
};

/* Needs the lock, and gives it up meanwhile.  One thread tells at a time, all
 * there is, so that who finds nobody telling and nobody on the lists knows that
 * nobody will be told any more. */
void journal_writer_tell(struct journal_writer *);

/* Begins and ends to watch over the thread. */
void journal_writer_watch_start(struct journal_writer *);
void journal_writer_watch_stop(struct journal_writer *);

/* Needs the lock.  The thread is at work from now on. */
void journal_writer_watch_work(struct journal_writer *);

#endif
