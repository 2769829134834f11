/* SPDX-License-Identifier: MIT */
/* Items that wait for a writer, in order.  Batches have a ring of their own, so that the oldest
 * can go from it; their bytes are bounded by the writer, whose lock guards the whole. */
#pragma once

#include <collector/journal.h>
#include <collector/plugin.h>

#define QUEUE_OTHERS_MAX 1000 /* Flushes; newer ones are lost. */

struct mc_batch;

struct queue_item {
	enum queue_kind {
		QUEUE_BATCH,
		QUEUE_FLUSH,
		QUEUE_FORGET,
		QUEUE_ENDED, /* Its batch has the series. */
		/* Never queued: */
		QUEUE_NOTICES, /* Those of the notification queue that are due.
				*/
		QUEUE_RECORD,  /* The next one in the journal. */
	} kind;
	uint32_t records; /* Records of the batch in the journal; 0: none. */
	size_t size;      /* Size of the batch, in bytes. */
	union {
		struct mc_batch *batch; /* A reference. */
		char *name;             /* Of the flush; owned, or NULL. */
		void *slot;
	};
	union {
		mc_time age;             /* Of the flush. */
		struct mc_offset offset; /* Of the batch, in the journal. */
	};
	uint64_t order; /* Set by queue_push(). */
};

struct queue {
	struct queue_ring {
		struct queue_item *items;
		size_t size; /* Items that have room, a power of two. */
		size_t first, len;
	} batches, others;
	uint64_t order;
};

void queue_init(struct queue *);
void queue_done(struct queue *);

/* False if it is a flush and there are too many: it is the caller's again. */
bool queue_push(struct queue *, const struct queue_item *);

/* The item that was pushed first, and the oldest batch, or NULL; until the queue changes. */
const struct queue_item *queue_first(const struct queue *);
const struct queue_item *queue_first_batch(const struct queue *);

/* Takes the item that was pushed first. */
bool queue_pop(struct queue *, struct queue_item *);

/* Takes the oldest batch, whatever else was pushed before. */
bool queue_pop_batch(struct queue *, struct queue_item *);
bool queue_empty(const struct queue *);

/* Frees what an item owns; not its batch. */
void queue_item_done(struct queue_item *);
