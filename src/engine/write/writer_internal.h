/* SPDX-License-Identifier: MIT */
/* The inside of a writer, for the files that it is made of: writer.c, its
 * thread and its queue, account.c, its ledger, durable.c, what it takes from
 * the journal, notification.c, what it is told, handover.c, what it leaves, and
 * slot.c, what series carry for it. */
#ifndef COLLECTOR_ENGINE_WRITE_WRITER_INTERNAL_H
#define COLLECTOR_ENGINE_WRITE_WRITER_INTERNAL_H

#include <collector/control.h>
#include <collector/writer.h>

#include <pthread.h>

#include "engine/context.h"
#include "engine/store/catalog.h"
#include "engine/store/store.h"
#include "engine/write/catch_up.h"
#include "engine/write/notification_queue.h"
#include "engine/write/queue.h"
#include "engine/write/writer.h"

struct writer {
	struct context *context;
	unsigned slot; /* SLOT_NONE: it needs none. */
	bool recorded; /* Its batches come by way of the journal. */
	struct log_once log_once, notices_log_once;
	bool telling;          /* In notify(); only its thread. */
	pthread_cond_t change; /* Work, a stop, or work done. */
	pthread_mutex_t lock;  /* Guards all below. */
	struct queue queue;
	size_t limit;
	struct notification_queue notification_queue; /* Notifications. */
	struct catch_up catch_up;         /* Of a writer that is recorded. */
	const struct queue_item *current; /* In write(); only its thread. */
	struct mc_writer_status ledger;
	uint64_t lost;       /* Samples of 'current' that write() took back. */
	uint64_t full_seen;  /* Its dropped_full, when 'current' was taken, */
	uint64_t full_known; /* and when the last was that was delivered. */
	uint64_t missed_before; /* Of mc_dropped_before(): not since it started.
				 */
	_Atomic bool subscribed;
	bool subscription_set; /* By writer_subscribe(). */
	bool ready;      /* The instance is started: the thread may begin. */
	bool busy;       /* The thread is at work on what it took. */
	bool waiting;    /* The thread waits for work. */
	bool lingering;  /* The thread waits for more work. */
	bool holding;    /* The thread waits to offer a batch again. */
	bool fast;       /* Work comes quickly: it lingers next time. */
	mc_time woken;   /* When work last ended a wait; real time. */
	mc_time linger;  /* For so long batches are merged; see mc_linger(). */
	unsigned drains; /* Those that wait until nothing is queued. */
	bool needs_trim; /* Much has waited since memory was given back; ... */
	mc_time trimmed; /* ... that was then.  Real time. */
	bool begun, joined;
	bool stopping, done;
	bool has_successor; /* What is left at the end is for another one. */
	struct queue_item rest; /* That write() did not take then; or none. */
	mc_time stop_until;     /* Real time. */
	pthread_t thread;
	mc_time start_due; /* Not before it is tried to make the thread. */
	int start_result;  /* 0, or a negative errno that is not yet told. */
};

#define WRITER_DROPS_MAX 16 /* Batches that one new batch can push out. */

/* Needs the lock.  Takes the oldest batches out of memory until 'size' bytes
 * have room; the caller releases them without the lock.  Returns how many. */
unsigned writer_make_room(struct writer *, size_t size,
			  struct queue_item dropped[WRITER_DROPS_MAX]);

/* Needs the lock.  Puts a batch in the queue, a reference taken, if it has
 * room; it is counted in any case. */
void writer_enqueue(struct writer *, const struct queue_item *);

enum writer_urgency {
	WRITER_AFTER_LINGER, /* More of the same can wait a moment. */
	WRITER_AT_ONCE,
	WRITER_NOTICE, /* Also while a batch waits to be offered again. */
};

/* Needs the lock.  Wakes the thread, which is made when there is something to
 * do.  The caller lets the lock go with writer_unlock(). */
void writer_wake_thread(struct writer *, enum writer_urgency);

/* Lets the lock go, and tells if the thread could not be made. */
void writer_unlock(struct writer *);

/* Whether the time that a stop leaves it is over. */
bool writer_is_out_of_time(struct writer *);

/* Needs the lock.  Whether the writer reads the journal. */
static inline bool writer_has_cursor(const struct writer *writer)
{
	return writer->catch_up.cursor != NULL;
}

#endif
