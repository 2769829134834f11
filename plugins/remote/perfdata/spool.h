/* SPDX-License-Identifier: MIT */
/* A spool: its files are taken, read, and removed when the journal has what was in them.
 *
 * Each has a number.  A batch of a file has a dedup id with that number and how
 * much of the file was read, so that the journal says after a crash what is not
 * to be read again: see progress.h.  For the thread of run(). */
#pragma once

#include <pthread.h>

#include <collector/kit/backoff.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/quota.h>

#include "folder.h"
#include "ingest.h"
#include "progress.h"
#include "single.h"

struct spool_options { /* Of a Spool block. */
	const char *path, *name;
	int64_t limit;
	struct mc_quota_limits limits;
	struct ingest_options ingest;
};

struct spool_file;
struct spool_commit;

struct spool {
	struct mc_ctx *ctx;
	const struct spool_options *options;
	struct mc_quota *quota;
	struct folder folder;
	struct ingest ingest;
	struct count count;
	struct single single; /* If the path is not a folder. */
	bool is_single;
	struct mc_dedup_id safe; /* Of the single one, without a journal: */
	bool safe_is_new;        /* see spool_safe(). */
	struct progress progress;
	uint64_t number; /* The last that was given. */
	char *text;      /* The part read of a file at a time. */

	struct spool_file *reading;             /* The one that is read now, or NULL. */
	struct spool_file *waiting;             /* Taken, and not begun; by number. */
	struct spool_file *begun[PROGRESS_IDS]; /* Also the one above. */
	unsigned pending;                       /* Batches on their way to the journal, */
	size_t pending_size;                    /* and bytes that were read for them. */
	struct mc_backoff backoff;              /* While the journal fails. */
	mc_time list_due;                       /* When to look for files at the latest. */
	mc_time settle_due;                     /* When some will have settled; 0: none. */
	bool fresh;                             /* Something may be new. */
	bool recovered;                         /* The content of ".taken" is known. */
	struct mc_once once;                    /* Taking files. */
	_Atomic int errnum;                     /* Why it cannot be read now, or 0. */

	int wake; /* An eventfd of the caller's: a batch is in the journal. */
	pthread_mutex_t lock;
	struct spool_commit *done MC_GUARDED_BY(lock);
};

void spool_init(struct spool *, struct mc_ctx *, const struct spool_options *, int wake);
/* No batch of it is on its way any more. */
void spool_done(struct spool *);

/* Takes what the journal says, or offsets.h has kept, before the first
 * spool_work().  Whether it is of a file that grows, and of this spool. */
bool spool_know(struct spool *, const struct mc_dedup_id *);

/* The inotify of its folder can be read: something is new. */
void spool_found(struct spool *);

/* Reads some of what waits.  Whether there is more that can be read now. */
bool spool_work(struct spool *);

/* Takes the answers to what has been read: the last time before spool_done(). */
void spool_collect(struct spool *);

/* Whether more of a file that grows need not be read again since the last call,
 * which no journal knows; 'id' then says how much. */
bool spool_safe(struct spool *, struct mc_dedup_id *id);

/* When to work at the latest, as mc_now() counts. */
mc_time spool_due(const struct spool *);

/* Its own series.  Thread: any. */
void spool_report(const struct spool *, struct mc_batch *, mc_time now);
