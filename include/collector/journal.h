/* SPDX-License-Identifier: MIT */
/* collector/journal.h - for plugins that keep an offset of the journal: a durable writer that
 * acknowledges later, a sender that must not send twice, a server that must not take twice.
 *
 * The journal is a row of records, numbered from 1.  After a crash records come
 * again under the same numbers.
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* --- Offsets ------------------------------------------------------------- */

/* A position in the journal: the record that begins there, and the number of samples in all
 * records before it. */
struct mc_offset {
	uint64_t seq, samples;
};

/* Sets '*offset' to the begin of the batch of this write().  False, and nothing set, if the batch
 * is not in a journal.  Thread: write()'s. */
bool mc_offset(struct mc_ctx *ctx, struct mc_offset *offset);

/* The same, to the end of the batch: what mc_ack() gets once all of it is acknowledged.  Thread:
 * write()'s. */
bool mc_offset_end(struct mc_ctx *ctx, struct mc_offset *offset);

/* Acknowledges all samples before 'offset': a restart begins there.  For writers with acks_async.
 * Thread: one at a time, and run()'s the last time, at its end. */
void mc_ack(struct mc_ctx *ctx, struct mc_offset offset);

/* The records of the batch of this write(), in the journal of that epoch: after a crash they come
 * again under the same numbers, but each as a batch of its own.  False, and all is 0, if it is not
 * in a journal.  Thread: write()'s. */
struct mc_records {
	uint64_t epoch, first, last;
};
bool mc_records(struct mc_ctx *ctx, struct mc_records *records);

/* --- Named cursors ------------------------------------------------------- */

/* A part of a writer with acks_async that may lag alone, as one of several destinations does: it
 * has a cursor of its own under its name, keeps the records from there on, and reads them again,
 * while the writer goes on.
 *
 * Makes a consumer, or finds it again after a restart.  '*from' is its last position, '*end' the
 * begin of the first write().  NULL, and nothing set, without a journal.  It lives as long as the
 * instance.  Thread: start()'s. */
struct mc_consumer;
struct mc_consumer *mc_consumer(struct mc_ctx *ctx, const char *name, struct mc_offset *from,
				struct mc_offset *end);

/* As mc_ack(), for this consumer. */
void mc_consumer_ack(struct mc_consumer *consumer, struct mc_offset offset);

/* Counts samples that write() has taken and left to the consumer, and that the journal has not
 * kept: its quota has dropped them.  Thread: any. */
void mc_consumer_lost(struct mc_consumer *consumer, uint64_t samples);

/* Reads the record at '*from', or the next one that exists and comes before the number 'end', and
 * moves '*from' past it.  Returns a batch for mc_discard().  NULL, and nothing moved, if it cannot
 * be read now, or '*from' is at 'end'.  Thread: one at a time. */
struct mc_batch *mc_consumer_read(struct mc_consumer *consumer, struct mc_offset *from,
				  uint64_t end);

/* --- What was taken before ----------------------------------------------- */

/* The sender of a batch, and its number: the journal keeps them with the batch, so that a
 * repetition is recognized, after a crash as well.  The name is "SENDER/RUN"; numbers of a run
 * only grow, and a new run of a sender takes the place of the one before. */
#define MC_DEDUP_ID_MAX 64
struct mc_dedup_id {
	char name[MC_DEDUP_ID_MAX + 1];
	uint64_t number;
};

/* Sets the id of a batch that is then committed safely.  Thread: the one that fills 'batch'. */
void mc_set_dedup_id(struct mc_batch *batch, const struct mc_dedup_id *id);

/* Calls visit() with the last id of every sender that the journal knows.  start(). */
void mc_each_dedup_id(struct mc_ctx *ctx,
		      void (*visit)(void *argument, const struct mc_dedup_id *id), void *argument);

#pragma GCC visibility pop
