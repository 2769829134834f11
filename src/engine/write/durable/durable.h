/* SPDX-License-Identifier: MIT */
/* A writer whose batches come by way of the journal: those that its queue has
 * no room for stay there, and so does what is left at the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct journal;
struct mc_batch;
struct queue_item;
struct mc_offset;
struct writer;

/* There is a journal: the writer gets its batches from there, and only from
 * there, if its plugin says that it is durable.  Before anybody knows it. */
void durable_prepare(struct writer *);
bool durable_is(const struct writer *);

/* Such a writer begins where the cursor of its name stands.  While no record is being written. */
void durable_attach(struct writer *, struct journal *);

/* It has ended: nothing in the journal is kept for it any more; or only what
 * its successor has taken over, which has started. */
void durable_detach(struct writer *);
void durable_leave(struct writer *, const struct writer *successor);

/* Offers a durable writer a batch that is in the journal, as that many records from 'offset' on;
 * or is not, with 0 of them, and then only waits in memory.  Wakes no thread.  Thread: the journal
 * writer's. */
void durable_offer(struct writer *, struct mc_batch *, const struct mc_offset *, uint32_t records);

/* Samples that were dropped before they could be offered: for lack of room, or
 * because the end has come ('late'). */
void durable_drop_before(struct writer *, uint64_t samples, bool late);

/* Records before 'oldest' are gone. */
void durable_trim(struct writer *, const struct mc_offset *oldest);

/* Needs the lock of the writer, durable or not.  Takes the batch that is first
 * in its queue, and comes next. */
void durable_pop(struct writer *, struct queue_item *);

/* Takes the next record from the journal, as a batch of its own whose reference is the caller's;
 * 'samples' is its number of samples.  False at the end, or if none can be read; missing records
 * are counted.  Thread: the writer's. */
bool durable_read(struct writer *, struct queue_item *, uint64_t *samples);

/* The same of the record after 'last', which was read, if it comes next and may share a batch with
 * that: after a restart the receiver may know either of the records that the last process wrote, so
 * these stay alone, unless the plugin is 'repeatable'.  One for which fits() is false stays where
 * it is. */
struct durable_question {
	const struct queue_item *last;
	bool (*fits)(void *argument, const struct mc_batch *batch);
	void *argument;
};
bool durable_read_after(struct writer *, const struct durable_question *, struct queue_item *item,
			uint64_t *samples);
