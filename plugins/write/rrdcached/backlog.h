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
 * Lines that are refused although they were lost are the matter of reconcile.h.
 *
 * An update is the line "UPDATE path second:value".  All of them lie in one
 * sequence of chunks, and stay where they are: what becomes of them only moves
 * marks.  Lines are sent in BATCHes, several of which may be in flight; a batch
 * ends where its chunk ends.
 *
 *	first            acked             sent              last
 *	  | acknowledged,  | in flight,      | unsent          |
 *	  | to be replayed |    they wait for an answer        |
 *
 * Pure: knows no socket and no clock.  The caller locks. */
#pragma once

#include <collector/journal.h>
#include <collector/plugin.h>

enum {
	BACKLOG_CHUNK_SIZE = 64 << 10, /* A batch of some 600 lines. */
	BACKLOG_FLIGHT_MAX = 4,        /* Batches. */
};

struct backlog_mark { /* Between two lines. */
	struct backlog_chunk *chunk;
	size_t size;      /* Bytes of the chunk, */
	uint64_t len;     /* lines, */
	uint64_t samples; /* and samples, that are before it. */
};

struct backlog_batch {
	struct backlog_mark seen; /* Before it, the outcome is known; */
	uint64_t seen_len;        /* with this number of lines. */
	uint64_t left_len;        /* And those after it: lines, */
	size_t left_size;         /* bytes, */
	uint64_t left_samples;    /* samples. */
	bool replay;
};

struct backlog {                    /* Set only these: empty. */
	size_t limit, replay_limit; /* Bytes. */
	/* How many samples a line has; NULL: one. */
	uint64_t (*count)(void *argument, const char *line, size_t size);
	void *argument;
	struct backlog_chunk *first, *last, *free_chunk;
	struct backlog_mark acked, sent;
	size_t replay_size, waiting_size; /* Bytes before 'acked', and */
	uint64_t replay_len, waiting_len; /* after it; and lines. */
	uint64_t waiting_samples;         /* After 'acked'. */
	struct backlog_mark again;        /* The same as 'sent', in replay. */
	bool replaying;                   /* Until all that is sent. */
	uint64_t put;                     /* Lines that ever came in. */
	struct backlog_batch flight[BACKLOG_FLIGHT_MAX];
	unsigned flight_len;
};

/* Returns the place for a line of up to 'size' bytes; then adds the line: it has that many samples,
 * and comes from that offset in the journal, or, if that is BACKLOG_NO_OFFSET, from none. */
char *backlog_room(struct backlog *, size_t size);
void backlog_put(struct backlog *, size_t size, uint64_t samples, struct mc_offset offset);
#define BACKLOG_NO_OFFSET ((struct mc_offset){ UINT64_MAX, 0 })

static inline bool backlog_fits(const struct backlog *backlog, size_t size)
{
	return backlog->waiting_size + size <= backlog->limit;
}

/* Whether no more should be put.  Half of the limit is left for a batch that is
 * put as a whole, and for what comes while another daemon is waited for. */
static inline bool backlog_is_full(const struct backlog *backlog)
{
	return backlog->waiting_size >= backlog->limit / 2;
}

/* Makes room for 'size' bytes by giving up the oldest lines that are not in
 * flight; '*dropped' grows by their samples.  False if all are in flight. */
bool backlog_make_room(struct backlog *, size_t size, uint64_t *dropped);

/* How many of the lines that ever came in are done with. */
static inline uint64_t backlog_passed(const struct backlog *backlog)
{
	return backlog->put - backlog->waiting_len;
}

/* Whether a batch should be sent now: a full one, or nothing is in flight. */
bool backlog_ready(const struct backlog *);

/* The next batch, only if it is ready: its lines, which stay where they are
 * until the batch is done or the connection is gone. */
const char *backlog_send(struct backlog *, size_t *size);

struct backlog_line {
	const char *text; /* Without newline; until anything changes. */
	size_t size;
	bool replay; /* It was acknowledged before. */
	struct mc_offset offset;
};

/* Command 'number' of the oldest batch in flight was refused; those before it
 * were done.  '*line' says what it was.  False: there is no such command.  The
 * line counts as done: if it is sent again after a break, that does no harm. */
bool backlog_refused(struct backlog *, long number, struct backlog_line *line);

/* The oldest batch is done.  Returns how many new lines that were. */
uint64_t backlog_done(struct backlog *);

/* The lines that are kept, from the oldest on: false if there are no more.  A
 * mark that is all zero is before the first. */
bool backlog_walk(const struct backlog *, struct backlog_mark *, struct backlog_line *);

/* Puts the mark before the first kept line of those that came in after the first 'number' of all;
 * false without one.  Passes whole chunks. */
bool backlog_seek(const struct backlog *, uint64_t number, struct backlog_mark *);

/* No line is kept. */
static inline bool backlog_is_empty(const struct backlog *backlog)
{
	return backlog->replay_len + backlog->waiting_len == 0;
}

/* No batch has both lines that are there and lines that are yet to come. */
void backlog_seal(struct backlog *);

/* How many lines, of all that ever came in, are before the next batch; 0 if that is a replay. */
uint64_t backlog_next(const struct backlog *);

/* The connection is gone: on the next one everything is sent again.  Returns
 * how many acknowledged updates these are. */
uint64_t backlog_rewind(struct backlog *);

/* The oldest offset of all lines that are kept; BACKLOG_NO_OFFSET: of none. */
struct mc_offset backlog_oldest(const struct backlog *);

void backlog_free(struct backlog *);
