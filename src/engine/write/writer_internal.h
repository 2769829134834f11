/* SPDX-License-Identifier: MIT */
/* The inside of a writer, for the files that it is made of, from the ground up: worker.c, its
 * thread and its queue; writer.c, its queue; account.c, its ledger; slot.c, its pointers at
 * series; notification.c, its notifications; durable.c, its part of the journal; handover.c, its
 * remains; delivery.c, its thread. */
#pragma once

#include <collector/kit/lock.h>
#include <collector/private/status.h>
#include <collector/writer.h>

#include "engine/context.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"
#include "engine/write/durable/catch_up.h"
#include "engine/write/notification_limit.h"
#include "engine/write/notification_queue.h"
#include "engine/write/worker.h"
#include "engine/write/writer.h"

struct writer {
	struct context *context;
	unsigned slot;  /* SLOT_NONE: it needs none. */
	uint32_t route; /* Flag of the samples that it does not get, or 0. */
	bool recorded;  /* Its batches come by way of the journal. */
	_Atomic bool subscribed;
	_Atomic mc_time late;     /* By so much its samples may be, at most. */
	_Atomic uint64_t waiting; /* Taken, and not acknowledged. */

	/* Only its thread. */
	struct log_once log_once, notices_log_once;
	struct log_once *log_once_now;    /* Of the two. */
	const struct queue_item *current; /* In write(). */
	struct mc_offset current_end;     /* After it, if it is in the journal. */

	struct worker worker;
	struct notification_queue notification_queue; /* Needs its lock. */
	struct notification_limit notification_limit; /* The same. */
	struct catch_up catch_up;                     /* The same; of a writer that is recorded. */
	size_t limit MC_GUARDED_BY(worker.lock);
	struct mc_writer_status ledger MC_GUARDED_BY(worker.lock);

	/* Samples that were reported as delivered. */
	uint64_t acknowledged MC_GUARDED_BY(worker.lock);

	/* Why samples wait that write() has taken; "": they do not. */
	char stalled[LOG_ONCE_SIZE] MC_GUARDED_BY(worker.lock);

	/* Samples of 'current' that write() took back. */
	uint64_t lost MC_GUARDED_BY(worker.lock);

	/* Its dropped_full, when 'current' was taken, and when the last was that was delivered. */
	uint64_t full_seen MC_GUARDED_BY(worker.lock);
	uint64_t full_known MC_GUARDED_BY(worker.lock);

	/* Of mc_dropped_before(): not since it started. */
	uint64_t missed_before MC_GUARDED_BY(worker.lock);

	/* NULL: it gets all. */
	mc_notification_wanted *wants_notification MC_GUARDED_BY(worker.lock);

	/* 'subscribed' was set by writer_subscribe(). */
	bool subscription_set MC_GUARDED_BY(worker.lock);

	/* For so long batches are merged; see mc_linger(). */
	mc_time linger MC_GUARDED_BY(worker.lock);

	/* So long notifications wait for others; those in the queue do until then. */
	mc_time notification_linger MC_GUARDED_BY(worker.lock);
	mc_time notification_linger_until MC_GUARDED_BY(worker.lock);

	/* Those that wait until nothing is queued. */
	unsigned drains MC_GUARDED_BY(worker.lock);

	/* Since memory was given back, and when that was, in real time. */
	size_t queued_bytes_max MC_GUARDED_BY(worker.lock);
	mc_time trimmed MC_GUARDED_BY(worker.lock);

	/* At the end: until when, in real time; whether what is left is for
	 * another writer, and what write() did not take then, or none. */
	mc_time stop_until MC_GUARDED_BY(worker.lock);
	bool has_successor MC_GUARDED_BY(worker.lock);
	struct queue_item rest MC_GUARDED_BY(worker.lock);
};

#define WRITER_DROPS_MAX 16 /* Batches that one new batch can push out. */

/* Takes the oldest batches out of memory until 'size' bytes have room; the
 * caller releases them without the lock.  Returns how many. */
unsigned writer_make_room(struct writer *writer, size_t size,
			  struct queue_item dropped[WRITER_DROPS_MAX])
	MC_REQUIRES(writer->worker.lock);

/* Puts a batch in the queue, a reference taken, if it has room; it is counted in any case. */
void writer_enqueue(struct writer *writer, const struct queue_item *)
	MC_REQUIRES(writer->worker.lock);

/* Releases the lock, and logs if the thread could not be made. */
void writer_unlock(struct writer *writer) MC_RELEASE(writer->worker.lock);

/* Whether the time that a stop leaves it is over. */
bool writer_is_out_of_time(struct writer *writer) MC_EXCLUDES(writer->worker.lock);

/* Whether the writer reads the journal: from durable_attach() on. */
static inline bool writer_has_cursor(const struct writer *writer)
{
	return writer->catch_up.cursor != NULL;
}
