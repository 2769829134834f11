/* SPDX-License-Identifier: MIT */
/* The inside of the recorder, for recorder.c, and for recorder_watch.c, which
 * looks after a disk that hangs. */
#ifndef COLLECTOR_ENGINE_RECORDER_HOUSE_H
#define COLLECTOR_ENGINE_RECORDER_HOUSE_H

#include "engine/queue.h"
#include "engine/recorder.h"
#include "engine/waiters.h"

struct mc_otlp_writer;

struct member { /* Of the group that is being written. */
	struct mc_batch *batch;
	struct queue_place place;
	uint32_t records; /* 0: it is not in the journal. */
};

struct recorder {
	struct engine *engine;
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
	uint64_t tickets; /* Batches that were put. */
	struct waiters waiters, answered;
	bool telling; /* waiters_tell() runs. */
	bool waiting, gathering, brisk, busy, begun, stopping, done;
	bool held;     /* The thread is not to become busy. */
	bool ended;    /* After recorder_stop(): nothing is taken any more. */
	mc_time woken; /* Real time. */
	pthread_t thread;

	/* Samples that were put and not offered yet. */
	_Atomic uint64_t queued;

	/* See recorder_watch.c; guarded by the lock, too. */
	mc_time busy_since; /* Real time. */
	mc_time hanging;    /* The disk, since then (1970); 0: it does not. */
	bool watching, watch_idle, watch_ends;
	pthread_cond_t watch;
	pthread_t watcher;
};

/* Needs the lock, and gives it up meanwhile.  One thread tells at a time, all
 * there is, so that who finds nobody telling and nobody on the lists knows that
 * nobody will be told any more. */
void recorder_tell(struct recorder *);

/* Begins and ends to watch over the thread. */
void recorder_watch_start(struct recorder *);
void recorder_watch_stop(struct recorder *);

/* Needs the lock.  The thread is at work from now on. */
void recorder_watch_work(struct recorder *);

#endif
