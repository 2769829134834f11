/* SPDX-License-Identifier: MIT */
/* collector/journal.h - for plugins that know where they are in the journal: a
 * durable writer that says later what is safe, a sender that must not send
 * twice, a server that must not take twice.
 *
 * The journal is a row of records, numbered from 1.  After a crash records come
 * again under the same numbers.
 */
#ifndef COLLECTOR_JOURNAL_H
#define COLLECTOR_JOURNAL_H

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* --- Offsets ---------------------------------------------------------------
 */

/* A point of the journal: the record that begins there, and how many samples
 * all records before it have. */
struct mc_offset {
	uint64_t seq, samples;
};

/* Sets '*offset' to where the batch of this write() begins.  False, and nothing
 * set: the batch is in no journal.  write(). */
bool mc_offset(struct mc_ctx *ctx, struct mc_offset *offset);

/* Says that all before 'offset' is safe: a restart begins there.  For writers
 * with acks_async; one thread at a time, and the last time in run() at its end.
 */
void mc_ack(struct mc_ctx *ctx, struct mc_offset offset);

/* The records of the batch of this write(), in the journal of that epoch: after
 * a crash they come again under the same numbers, but each as a batch of its
 * own.  False: it is in no journal, and all is 0.  write(). */
struct mc_records {
	uint64_t epoch, first, last;
};
bool mc_records(struct mc_ctx *ctx, struct mc_records *records);

/* --- Named cursors ---------------------------------------------------------
 */

/* A part of a writer with acks_async that may fall behind alone, as one of
 * several destinations does: it has a cursor of its own under its name, keeps
 * the records from there on, and reads them again, while the writer goes on.
 *
 * Makes a consumer, or finds it again after a restart.  '*from' is where it
 * stood, '*end' where write() begins.  NULL, and nothing set: there is no
 * journal.  It lives as long as the instance.  start(). */
struct mc_consumer;
struct mc_consumer *mc_consumer(struct mc_ctx *ctx, const char *name, struct mc_offset *from,
				struct mc_offset *end);

/* As mc_ack(), for this consumer. */
void mc_consumer_ack(struct mc_consumer *consumer, struct mc_offset offset);

/* Counts samples that write() has taken and left to the consumer, and that the
 * journal has not kept: its quota has dropped them.  Any thread. */
void mc_consumer_lost(struct mc_consumer *consumer, uint64_t samples);

/* Reads the record at '*from', or the first one behind it that is there and
 * comes before the number 'end', and moves '*from' behind it.  Returns a batch
 * for mc_discard().  NULL, and nothing moved: it cannot be read now, or '*from'
 * is at 'end'.  One thread at a time. */
struct mc_batch *mc_consumer_read(struct mc_consumer *consumer, struct mc_offset *from,
				  uint64_t end);

/* --- What was taken before --------------------------------------------------
 */

/* Who sent a batch, and under which number: the journal keeps it with the
 * batch, so that what is sent again is known, after a crash as well.  The name
 * is "SENDER/RUN"; numbers of a run only grow, and a new run of a sender takes
 * the place of the one before. */
#define MC_DEDUP_ID_MAX 64
struct mc_dedup_id {
	char name[MC_DEDUP_ID_MAX + 1];
	uint64_t number;
};

/* Sets the id of a batch that is then committed safely.  The thread that fills
 * 'batch'. */
void mc_set_dedup_id(struct mc_batch *batch, const struct mc_dedup_id *id);

/* Calls visit() with the last id of every sender that the journal knows.
 * start(). */
void mc_each_dedup_id(struct mc_ctx *ctx,
		      void (*visit)(void *argument, const struct mc_dedup_id *id), void *argument);

#pragma GCC visibility pop

#endif /* COLLECTOR_JOURNAL_H */
