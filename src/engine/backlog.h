/* SPDX-License-Identifier: MIT */
/* Where a durable writer stands between the journal and its queue.
 *
 * Every batch has a place in the journal, and what waits in memory knows its
 * own.  The writer takes places in their order: from memory if the batch that
 * is next waits there, else from the journal.  So a writer whose queue was full
 * reads from disk what is missing, and comes back to memory by itself; nothing
 * is lost between the two and nothing comes twice.
 *
 * The lock of the writer guards it, but for the reader, which is its thread's.
 */
#ifndef COLLECTOR_ENGINE_BACKLOG_H
#define COLLECTOR_ENGINE_BACKLOG_H

#include "engine/queue.h"
#include "engine/reader.h"

struct backlog {
	struct journal *journal;
	struct cursor *cursor; /* NULL: the writer has no journal. */
	struct reader *reader;
	struct mc_track *tracks; /* The newest; see track.h. */
	uint64_t epoch;
	struct queue_place begin;  /* Where the cursor stood. */
	struct queue_place next;   /* What the writer takes next. */
	struct queue_place end;    /* Behind all it was offered. */
	struct queue_place stored; /* Behind what was put in memory last. */
	struct queue_place resume; /* From there on it is on disk; what lies
				    * between the two is lost and counted. */
	bool behind; /* The queue was full: new batches stay on disk. */
};

/* Begins where the cursor stands.  Returns the samples from there to the end,
 * and in 'lost' how many of these are gone. */
uint64_t backlog_open(struct backlog *, struct journal *, const char *writer,
		      uint64_t *lost);
void backlog_close(struct backlog *);

/* The writer is gone for now: nothing is kept for it any more. */
void backlog_let_go(struct backlog *);

/* Whether the oldest batch in memory is what comes next. */
bool backlog_is_next(const struct backlog *, const struct queue_item *);

/* Whether there is something to read from the journal before 'first', the
 * oldest batch in memory, or NULL; and the place where that ends. */
bool backlog_has(const struct backlog *, const struct queue_item *first,
		 struct queue_place *limit);

/* Samples that are only on disk. */
uint64_t backlog_on_disk(const struct backlog *,
			 const struct queue_item *first);

/* Offers records up to a place; they are 'in_memory', or only on disk. */
void backlog_offer(struct backlog *, const struct queue_place *end,
		   bool in_memory);

/* Records before 'oldest' are gone from the disk.  Returns how many samples the
 * writer loses by that. */
uint64_t backlog_trim(struct backlog *, const struct queue_item *first,
		      const struct queue_place *oldest);

/* Goes on to a place; returns how many samples were left out.  Nothing happens
 * if that lies behind. */
uint64_t backlog_skip(struct backlog *, const struct queue_place *to);

/* The writer has delivered everything before that place.  Its thread. */
void backlog_delivered(struct backlog *, const struct queue_place *);

#endif
