/* SPDX-License-Identifier: MIT */
/* A worker: a thread, what waits for it in a queue, and who wakes it.  Each
 * writer has one, and the journal writer.
 *
 * A worker that is woken often lingers: for a moment it waits for more work,
 * so that a thousand packets a second are not two thousand context switches. */
#ifndef COLLECTOR_ENGINE_WRITE_WORKER_H
#define COLLECTOR_ENGINE_WRITE_WORKER_H

#include <pthread.h>
#include <stdbool.h>

#include <collector/plugin.h>

#include "engine/write/queue.h"

enum worker_state {                   /* In the order of its life. */
		    WORKER_NEW,       /* It has no thread, and gets none. */
		    WORKER_READY,     /* It gets its thread when it is woken. */
		    WORKER_AWAKE,     /* Its thread looks for work, ... */
		    WORKER_WAITING,   /* ... waits for work, ... */
		    WORKER_LINGERING, /* ... waits a moment for more of it, ...
				       */
		    WORKER_BUSY,      /* ... is at work, ... */
		    WORKER_COLLECTING, /* ... waits for more to do at once, ...
					*/
		    WORKER_HOLDING,    /* ... waits to try again what it has in
					  hand. */
		    WORKER_DONE,       /* Its thread has ended. */
		    WORKER_JOINED,
};

struct worker {
	pthread_mutex_t lock;  /* Guards all below, and what its user adds. */
	pthread_cond_t change; /* Work, a stop, or work done. */
	enum worker_state state;
	bool stopping; /* The thread is to end. */
	bool fast;     /* Work comes quickly: it lingers next time. */
	struct queue queue;
	mc_time linger; /* How long; constant. */
	mc_time woken;  /* When work last ended a wait; real time. */
	pthread_t thread;
	const char *name;
	void *(*main)(void *argument);
	void *argument;
	mc_time start_due; /* Not before it is tried to make the thread. */
	int start_result;  /* 0, or a negative errno that is not yet told. */
};

void worker_init(struct worker *, mc_time linger);
void worker_done(struct worker *);

/* --- Who has work for it; each needs the lock --------------------------- */

/* From now on it has a thread, main(argument), when there is work.  The name
 * lives as long as the worker. */
void worker_begin(struct worker *, const char *name, void *(*main)(void *),
		  void *argument);

enum worker_urgency {
	WORKER_AFTER_LINGER, /* More of the same can wait a moment. */
	WORKER_AT_ONCE,
	WORKER_WHILE_HOLDING, /* Also when it waits to try again. */
};

/* There is work.  If no thread can be made for it, it stays in the queue, and
 * who wakes it a second later tries again. */
void worker_wake(struct worker *, enum worker_urgency);

/* Why no thread could be made, as a negative errno, once; else 0. */
int worker_failure(struct worker *);

/* Whether it has a thread that has not ended; whether that is at work; whether
 * it is the caller's. */
bool worker_runs(const struct worker *);
bool worker_is_busy(const struct worker *);
bool worker_is_self(const struct worker *);

/* Gives the lock up meanwhile.  Waits until the worker has no work, and is at
 * none; false if 'until', in real time, comes first. */
bool worker_drain(struct worker *, bool (*has_work)(const void *argument),
		  const void *argument, mc_time until);

/* Tells the thread to end; does not wait. */
void worker_stop(struct worker *);

/* Without the lock: waits for the end of the thread; false if that does not
 * come by 'until', in real time. */
bool worker_join(struct worker *, mc_time until);

/* CPU time of the thread; 0: it has none. */
mc_time worker_cpu(const struct worker *);

/* --- Its thread; each needs the lock ------------------------------------- */

/* It is done with what it took, and looks for more; it has taken something. */
void worker_look(struct worker *);
void worker_work(struct worker *);

/* Gives the lock up meanwhile.  Waits for work until clock_now() reaches
 * 'until', or a moment for more of it, if it may linger. */
void worker_wait(struct worker *, bool may_linger, mc_time until);

/* Gives the lock up meanwhile.  At work, waits in that state until clock_now()
 * reaches 'until', or for a change. */
void worker_pause(struct worker *, enum worker_state, mc_time until);

/* The last that the thread does, without the lock. */
void worker_end(struct worker *);

#endif
