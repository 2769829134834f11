/* SPDX-License-Identifier: MIT */
/* The inside of a writer, for the files that it is made of, from the ground up:
 * worker.c, its thread and its queue; writer.c, what waits for it; account.c,
 * its ledger; slot.c, what series carry for it; notification.c, what it is
 * told; durable.c, what it takes from the journal; handover.c, what it leaves;
 * delivery.c, what its thread does. */
#ifndef COLLECTOR_ENGINE_WRITE_WRITER_INTERNAL_H
#define COLLECTOR_ENGINE_WRITE_WRITER_INTERNAL_H

#include <collector/control.h>
#include <collector/writer.h>

#include "engine/context.h"
#include "engine/store/catalog.h"
#include "engine/store/store.h"
#include "engine/write/catch_up.h"
#include "engine/write/notification_queue.h"
#include "engine/write/worker.h"
#include "engine/write/writer.h"

struct writer {
	struct context *context;
	unsigned slot; /* SLOT_NONE: it needs none. */
	bool recorded; /* Its batches come by way of the journal. */
	struct log_once log_once, notices_log_once;
	struct log_once *log_once_now; /* Of the two; only its thread. */
	struct worker worker;          /* Its lock guards all below. */
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
	mc_time linger;  /* For so long batches are merged; see mc_linger(). */
	unsigned drains; /* Those that wait until nothing is queued. */
	size_t queued_bytes_max; /* Since memory was given back; ... */
	mc_time trimmed;         /* ... that was then.  Real time. */
	bool has_successor; /* What is left at the end is for another one. */
	struct queue_item rest; /* That write() did not take then; or none. */
	mc_time stop_until;     /* Real time. */
};

#define WRITER_DROPS_MAX 16 /* Batches that one new batch can push out. */

/* Needs the lock.  Takes the oldest batches out of memory until 'size' bytes
 * have room; the caller releases them without the lock.  Returns how many. */
unsigned writer_make_room(struct writer *, size_t size,
			  struct queue_item dropped[WRITER_DROPS_MAX]);

/* Needs the lock.  Puts a batch in the queue, a reference taken, if it has
 * room; it is counted in any case. */
void writer_enqueue(struct writer *, const struct queue_item *);

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
