/* SPDX-License-Identifier: MIT */
/* The updates for one daemon: those that wait, those in flight and, for a
 * while, those that it has acknowledged.
 *
 * rrdcached says OK when it has an update in memory.  If it is killed, what was
 * not yet on disk is lost; with a journal that is what stood in the buffer of
 * its journal file, 4 KiB.  So the latest acknowledged updates are kept, and
 * sent again on every new connection, oldest first and before anything new: RRD
 * files take no update that is older than their last.  Those that were not lost
 * are refused, "illegal attempt to update", and nothing is stored twice.
 *
 * An update is the line "UPDATE path second:value"; lines are sent in BATCHes,
 * several of which may be in flight.  Pure: knows no socket and no clock.  The
 * caller locks. */
#ifndef RRDCACHED_BACKLOG_H
#define RRDCACHED_BACKLOG_H

#include <stdbool.h>

#include "lines.h"

enum {
	BACKLOG_BATCH_LEN = 1000,      /* Lines. */
	BACKLOG_BATCH_SIZE = 96 << 10, /* Of its text. */
	BACKLOG_FLIGHT_MAX = 4,        /* Batches. */
	BACKLOG_LINE_MAX = 4000,       /* rrdcached reads 4096 at once. */
};

struct backlog_batch {
	uint64_t len;  /* Lines; */
	size_t size;   /* of so many bytes. */
	uint64_t seen; /* Lines whose outcome is known. */
	bool replay;
};

struct backlog {                    /* Set only the limits: empty. */
	size_t limit, replay_limit; /* Bytes. */
	struct lines waiting;       /* Those in flight are first. */
	struct lines replay;        /* Acknowledged. */
	size_t sent;                /* Bytes of 'waiting' in flight. */
	bool replaying;             /* Until all of 'replay' is sent. */
	size_t replay_sent;         /* Bytes; */
	size_t replay_seen;         /* and those whose outcome is known. */
	uint64_t put;               /* Lines that ever came in. */
	struct backlog_batch flight[BACKLOG_FLIGHT_MAX];
	unsigned flight_len;
};

/* Where a line of up to 'size' bytes may be written, and that it was. */
char *backlog_room(struct backlog *, size_t size);
void backlog_put(struct backlog *, size_t size);

/* Makes room for 'size' bytes by giving up the oldest lines that are not in
 * flight; returns how many that were.  '*fits' is false if all are in
 * flight. */
uint64_t backlog_make_room(struct backlog *, size_t size, bool *fits);

/* How many of the lines that ever came in are done with. */
static inline uint64_t backlog_passed(const struct backlog *backlog)
{
	return backlog->put - backlog->waiting.len;
}

/* Whether a batch should be sent now: a full one, or nothing is in flight. */
bool backlog_ready(const struct backlog *);

/* Writes the next BATCH to 'out', of BACKLOG_TEXT_SIZE bytes; only if it is
 * ready.  Returns the size. */
#define BACKLOG_TEXT_SIZE (BACKLOG_BATCH_SIZE + 16)
size_t backlog_send(struct backlog *, char *out);

struct backlog_line {
	const char *text; /* Without newline; until anything changes. */
	size_t size;
	bool replay; /* It was acknowledged before. */
};

/* Command 'number' of the oldest batch in flight was refused; those before it
 * were done.  It is taken out; '*line' says what it was.  False: there is no
 * such command. */
bool backlog_refused(struct backlog *, long number, struct backlog_line *line);

/* Keeps the line that backlog_refused() just told of: it was done before. */
void backlog_keep(struct backlog *, const struct backlog_line *line);

/* The oldest batch is done.  Returns how many new lines that were. */
uint64_t backlog_done(struct backlog *);

/* The connection is gone: on the next one everything is sent again.  Returns
 * how many acknowledged updates these are. */
uint64_t backlog_rewind(struct backlog *);

void backlog_free(struct backlog *);

#endif
