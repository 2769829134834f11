/* SPDX-License-Identifier: MIT */
/* A worker: a thread, its queue, and its wake-ups.  Each writer has one, and the journal writer.
 *
 * A worker that is woken often lingers: for a moment it waits for more work,
 * so that a thousand packets a second are not two thousand context switches. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#include "engine/write/queue.h"

enum worker_state {                    /* In the order of its life. */
		    WORKER_NEW,        /* It has no thread, and gets none. */
		    WORKER_READY,      /* It gets its thread when it is woken. */
		    WORKER_AWAKE,      /* Its thread looks for work, ... */
		    WORKER_WAITING,    /* ... waits for work, ... */
		    WORKER_LINGERING,  /* ... waits a moment for more of it, ...
					*/
		    WORKER_BUSY,       /* ... is at work, ... */
		    WORKER_COLLECTING, /* ... waits for more to do at once, ...
					*/
		    WORKER_HOLDING,    /* ... waits to try again what it has in
					  hand. */
		    WORKER_DONE,       /* Its thread has ended. */
		    WORKER_JOINED,
};

struct worker {
	pthread_cond_t change; /* Work, a stop, or work done. */
	pthread_mutex_t lock;  /* For what its user adds, too. */
	struct queue queue MC_GUARDED_BY(lock);
	enum worker_state state MC_GUARDED_BY(lock);

	/* The thread is to end. */
	bool stopping MC_GUARDED_BY(lock);

	/* Work comes quickly: it lingers next time, for so long. */
	bool fast MC_GUARDED_BY(lock);
	mc_time linger;

	/* When work last ended a wait; real time. */
	mc_time woken MC_GUARDED_BY(lock);

	pthread_t thread MC_GUARDED_BY(lock);
	const char *name;
	void *(*main)(void *argument);
	void *argument;

	/* The time of the next attempt to make the thread; and the result of the last: 0, or a
	 * negative errno that is not yet reported. */
	mc_time start_due MC_GUARDED_BY(lock);
	int start_result MC_GUARDED_BY(lock);
};

void worker_init(struct worker *, mc_time linger);
void worker_done(struct worker *);

/* --- Senders of work -------------------------------------------------- */

/* From now on it has a thread, main(argument), when there is work.  The name
 * lives as long as the worker. */
void worker_begin(struct worker *worker, const char *name, void *(*main)(void *), void *argument)
	MC_REQUIRES(worker->lock);

enum worker_urgency {
	WORKER_AFTER_LINGER, /* More of the same can wait a moment. */
	WORKER_AT_ONCE,
	WORKER_WHILE_HOLDING, /* Also when it waits to try again. */
};

/* There is work.  If no thread can be made for it, it stays in the queue, and a wake-up a second
 * later tries again. */
void worker_wake(struct worker *worker, enum worker_urgency) MC_REQUIRES(worker->lock);

/* Why no thread could be made, as a negative errno, once; else 0. */
int worker_failure(struct worker *worker) MC_REQUIRES(worker->lock);

/* Whether it has a thread that has not ended; whether that is at work; whether
 * it is the caller's. */
bool worker_runs(const struct worker *worker) MC_REQUIRES(worker->lock);
bool worker_is_busy(const struct worker *worker) MC_REQUIRES(worker->lock);
bool worker_is_self(const struct worker *worker) MC_REQUIRES(worker->lock);

/* Gives the lock up meanwhile.  Waits until the worker has no work, and is at
 * none; false if 'until', in real time, comes first. */
bool worker_drain(struct worker *worker, bool (*has_work)(const void *argument),
		  const void *argument, mc_time until) MC_REQUIRES(worker->lock);

/* Asks the thread to end; does not wait. */
void worker_stop(struct worker *worker) MC_REQUIRES(worker->lock);

/* Waits for the end of the thread; false if that does not come by 'until', in real time. */
bool worker_join(struct worker *worker, mc_time until) MC_EXCLUDES(worker->lock);

/* CPU time of the thread; 0: it has none. */
mc_time worker_cpu(const struct worker *worker) MC_REQUIRES(worker->lock);

/* --- Its thread ----------------------------------------------------------- */

/* It is done with what it took, and looks for more; it has taken something. */
void worker_look(struct worker *worker) MC_REQUIRES(worker->lock);
void worker_work(struct worker *worker) MC_REQUIRES(worker->lock);

/* Gives the lock up meanwhile.  Waits for work until clock_now() reaches
 * 'until', or a moment for more of it, if it may linger. */
void worker_wait(struct worker *worker, bool may_linger, mc_time until) MC_REQUIRES(worker->lock);

/* Gives the lock up meanwhile.  There is work, but waits that long for more of it, in real time;
 * WORKER_AT_ONCE ends that. */
void worker_linger(struct worker *worker, mc_time time) MC_REQUIRES(worker->lock);

/* Gives the lock up meanwhile.  At work, waits in that state until clock_now()
 * reaches 'until', or for a change. */
void worker_pause(struct worker *worker, enum worker_state, mc_time until)
	MC_REQUIRES(worker->lock);

/* The last that the thread does. */
void worker_end(struct worker *worker) MC_EXCLUDES(worker->lock);
