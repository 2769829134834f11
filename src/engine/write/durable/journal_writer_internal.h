/* SPDX-License-Identifier: MIT */
/* The inside of the journal writer, for the files that it is made of, from the ground up:
 * journal_group.c, batches that become records; journal_watch.c, which looks after a disk that
 * hangs; journal_writer.c, its queue and its thread. */
#pragma once

#include "engine/write/durable/journal_writer.h"
#include "engine/write/durable/waiters.h"
#include "engine/write/worker.h"

struct mc_otlp_writer;

#define JOURNAL_RECORD_BYTES ((size_t)4 << 20) /* Beyond, several records. */

struct journal_member { /* A batch of the group that is being written. */
	struct mc_batch *batch;
	struct mc_offset offset;
	uint32_t records; /* 0: it is not in the journal. */
};

struct journal_writer {
	struct instance_sets *instances; /* The writers of now. */
	struct store *store;
	struct journal *journal;
	struct mc_otlp_writer *encoder;
	void (*before)(void *argument); /* It writes batches; NULL: nothing is to be done. */
	void *before_argument;
	struct journal_member *group;
	bool dirty; /* Records were added since the last tick. */
	mc_time ticked;
	uint64_t dropped_segments; /* The number last reported to the writers. */
	_Atomic uint64_t bypassed, dropped;

	/* Samples that were put and not offered yet. */
	_Atomic uint64_t queued;

	struct worker worker; /* Only batches wait. */
	size_t queued_bytes MC_GUARDED_BY(worker.lock);
	size_t limit MC_GUARDED_BY(worker.lock);
	size_t writing_bytes MC_GUARDED_BY(worker.lock); /* Bytes of the group. */

	/* Batches that were put. */
	uint64_t sequence MC_GUARDED_BY(worker.lock);
	struct waiters waiters MC_GUARDED_BY(worker.lock);

	/* Batches for which somebody waits come several at a time: so long it waits for the rest of
	 * them, which is no longer than it was at work for the last ones; 0: they do not. */
	mc_time round MC_GUARDED_BY(worker.lock);

	/* The thread is not to become busy. */
	bool held MC_GUARDED_BY(worker.lock);

	/* After journal_writer_stop(): nothing is taken any more. */
	bool ended MC_GUARDED_BY(worker.lock);

	/* See journal_watch.c.  When the thread became busy, in real time; and
	 * since when the disk hangs (1970), or 0. */
	mc_time busy_since MC_GUARDED_BY(worker.lock);
	mc_time hanging MC_GUARDED_BY(worker.lock);
	enum journal_watch {
		JOURNAL_WATCH_NONE,   /* It has no thread. */
		JOURNAL_WATCH_SLEEPS, /* There is nothing to watch. */
		JOURNAL_WATCH_LOOKS,  /* Now and then. */
		JOURNAL_WATCH_IS_ENDING,
	} watch MC_GUARDED_BY(worker.lock);
	pthread_cond_t watch_change;
	pthread_t watcher;
};

/* Writes that many batches of the group as records.  Returns whether they are in the journal; if
 * not, they go on without.  Thread: the journal writer's. */
bool journal_group_write(struct journal_writer *, size_t len);

/* Offers them to the durable writers, and releases them.  Its thread. */
void journal_group_offer(struct journal_writer *, size_t len);

/* Reports to the writers the records that the quota has taken from them.  Its thread. */
void journal_group_trim(struct journal_writer *);

/* Begins and ends to watch over the thread. */
void journal_watch_start(struct journal_writer *);
void journal_watch_stop(struct journal_writer *);

/* The thread is at work from now on. */
void journal_watch_work(struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock);
