/* SPDX-License-Identifier: MIT */
/* collector/serve.h - for plugins that get samples from others, at any time: a server, or a client
 * that receives pushed data.  They have a run().
 *
 * A batch belongs to the thread that fills it, until it is committed or discarded: each of
 * mc_commit(), mc_commit_safely(), mc_commit_then() and mc_discard() ends it, whatever it returns.
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* A descriptor that can be read from the moment run() must end; the core's own.
 * run(), and threads that run() waits for. */
int mc_stop_fd(struct mc_ctx *ctx);

/* --- Batches -------------------------------------------------------------- */

/* Begins a batch.  Never NULL.  Thread: any. */
struct mc_batch *mc_begin(struct mc_ctx *ctx);

/* Hands the batch to all writers.  Each writer counts what its full queue drops. */
void mc_commit(struct mc_batch *batch);

/* Throws the batch away: no writer gets it. */
void mc_discard(struct mc_batch *batch);

/* Commits, and waits until the batch is as safe as the journal makes it (see JournalSync), but no
 * longer than 'limit' of real time.  0: it is safe.  Otherwise writers get it all the same, but it
 * may be lost: -ENOTSUP without a journal; -EIO if the journal cannot be written; -ETIMEDOUT. */
int mc_commit_safely(struct mc_batch *batch, mc_time limit);

/* Commits without waiting: done() is called once, with what mc_commit_safely() would return, by a
 * thread of the core, or by this one before mc_commit_then() returns.  done() must not block.  When
 * the disk hangs it may be called later than 'limit', when the next batch is committed. */
typedef void mc_committed(void *argument, int rc);
void mc_commit_then(struct mc_batch *batch, mc_time limit, mc_committed *done, void *argument);

/* Has every done() of this instance that is due called with -ECANCELED.  When it returns no done()
 * of this instance runs any more.  Thread: any except those of done(). */
void mc_commit_cancel(struct mc_ctx *ctx);

/* False: the journal is nearly full of records that some writer has not taken, and will drop its
 * oldest, also those whose senders had an acknowledgement; or much waits in memory for its disk.  A
 * server then refuses samples that the sender can keep.  True without a journal.  Thread: any. */
bool mc_journal_has_room(struct mc_ctx *ctx);

/* A tag of a batch, NULL at first, by which a plugin that also writes recognizes in write() the
 * batches that it has received.  Any pointer; the core only keeps it. */
void mc_set_origin(struct mc_batch *batch, const void *origin);
const void *mc_origin(const struct mc_batch *batch);

/* --- Pages of other plugins ----------------------------------------------- */

/* A request to an HTTP server. */
struct mc_page_question {
	const char *path; /* "/metrics" */
	/* A header of the request; the value with that number, from 0 on, of a parameter; NULL if
	 * it is not there.  They live as long as the question. */
	const char *(*header)(void *argument, const char *name);
	const char *(*parameter)(void *argument, const char *name, unsigned number);
	void *argument;
};

struct mc_page {
	unsigned status;
	char type[96]; /* "text/plain" */
	void *bytes;   /* The asker frees them. */
	size_t size;
};

/* Has the first instance whose page() has one of that path (<collector/writer.h>) answer: so a
 * plugin offers a page at the port of another one.  It may take seconds.  Returns 0, or -ENOENT:
 * no instance has one.  Thread: any. */
int mc_page(struct mc_ctx *ctx, const struct mc_page_question *question, struct mc_page *page);

/* --- Series with names that others chose --------------------------------- */

struct mc_name_parts {               /* A whole name, and where its parts end */
	const char *name;            /* Need not end with '\0'. */
	size_t host_size;            /* "host" */
	size_t plugin_size;          /* "cpu" */
	size_t plugin_instance_size; /* "0"; 0: none, and no '-' either. */
	size_t type_size;            /* "cpu" */
	size_t type_instance_size;   /* "idle"; 0: none, and no '-' either. */
};

/* As mc_series(), for a name that is already put together. */
struct mc_series *mc_series_named(struct mc_batch *batch, const struct mc_name_parts *parts);

/* As mc_series_named(); a series that is made, of a type that can have any unit, gets 'unit':
 * "bytes/s".  NULL, "": unknown unit. */
struct mc_series *mc_series_in(struct mc_batch *batch, const struct mc_name_parts *parts,
			       const char *unit);

/* As mc_series_named(), but NULL if the series does not exist. */
struct mc_series *mc_find_named(struct mc_batch *batch, const struct mc_name_parts *parts);

/* The same, by a name without its parts.  It must be spelled as mc_name() does. */
struct mc_series *mc_find_for(struct mc_batch *batch, const char *name, size_t size);

/* The type of that name in types.db, or NULL.  Thread: any. */
const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name);

/* How far ahead of the time of day a sample may be, of any protocol.  Nothing older is taken after
 * it, so one wrong time silences a series for no longer than this.  collectd has no limit; a day
 * has room for every time zone, as a sender whose clock has the wrong one is taken by collectd. */
#define MC_AHEAD_MAX (24 * 3600 * MC_SECOND)

/* Samples that a commit rejects: those older than the last of their series, or with its time and
 * other values; those beyond MC_AHEAD_MAX; those with more or fewer values than the type has
 * sources.  A repetition of the last sample is stored. */
#define MC_REJECTED_SERIES_SIZE 128
struct mc_rejected {
	uint64_t samples;
	const char *why;                      /* Reason of the first: "is older than the last". */
	char series[MC_REJECTED_SERIES_SIZE]; /* Its name, cut if it is long. */
};

/* Has the commit of 'batch' fill '*rejected', which stays with the caller and is complete when
 * mc_commit() or mc_commit_safely() returns, and when done() of mc_commit_then() is called.
 * Thread: the one that fills 'batch'. */
void mc_count_rejected(struct mc_batch *batch, struct mc_rejected *rejected);

/* Timeout, as it is now: the number of intervals without a value after which a series ends.
 * Thread: any. */
double mc_timeout(const struct mc_ctx *ctx);

#pragma GCC visibility pop
