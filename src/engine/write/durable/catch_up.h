/* SPDX-License-Identifier: MIT */
/* Where a durable writer stands between the journal and its queue.
 *
 * Every batch has an offset in the journal, and what waits in memory knows its own.  The writer
 * takes batches in the order of their offsets: from memory if the batch that is next waits there,
 * else from the journal.  So a writer whose queue was full reads from disk what is missing, and
 * comes back to memory by itself; nothing is lost between the two and nothing comes twice.
 *
 * The lock of the writer guards it, but for the reader, which is its thread's.
 */
#pragma once

#include "engine/journal/journal_reader.h"
#include "engine/write/queue.h"

struct catch_up {
	struct journal *journal;
	struct cursor *cursor; /* NULL: the writer has no journal. */
	struct reader *reader;
	struct mc_consumer *consumers; /* The newest; see consumer.h. */
	struct mc_offset begin;        /* Where the cursor stood. */
	struct mc_offset known;        /* Where the journal ended then. */
	struct mc_offset next;         /* The next sample of the writer. */
	struct mc_offset end;          /* After all it was offered. */
	struct mc_offset stored;       /* After the last samples put in memory. */
	struct mc_offset resume;       /* From there on it is on disk; what lies
					* between the two is lost and counted. */
	bool behind;                   /* The queue was full: new batches stay on disk. */
};

/* Begins where the cursor stands.  Returns the samples from there to the end,
 * and in 'lost' how many of these are gone. */
uint64_t catch_up_open(struct catch_up *, struct journal *, const char *writer, uint64_t *lost);
void catch_up_close(struct catch_up *);

/* The writer is gone for now: nothing is kept for it any more. */
void catch_up_let_go(struct catch_up *);

/* Whether the oldest batch in memory is what comes next. */
bool catch_up_is_next(const struct catch_up *, const struct queue_item *);

/* Whether there is something to read from the journal before 'first', the
 * oldest batch in memory, or NULL; and the offset where that ends. */
bool catch_up_has(const struct catch_up *, const struct queue_item *first, struct mc_offset *limit);

/* Samples that are only on disk. */
uint64_t catch_up_on_disk(const struct catch_up *, const struct queue_item *first);

/* Offers records up to an offset; they are 'in_memory', or only on disk. */
void catch_up_offer(struct catch_up *, const struct mc_offset *end, bool in_memory);

/* Records before 'oldest' are gone from the disk.  Returns how many samples the
 * writer loses by that. */
uint64_t catch_up_trim(struct catch_up *, const struct queue_item *first,
		       const struct mc_offset *oldest);

/* Goes on to an offset; returns how many samples were left out.  Nothing happens if that was
 * passed already. */
uint64_t catch_up_skip(struct catch_up *, const struct mc_offset *to);

/* The writer has delivered everything before that offset.  Its thread. */
void catch_up_delivered(struct catch_up *, const struct mc_offset *);
