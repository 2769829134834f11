/* SPDX-License-Identifier: MIT */
/* The store: every series by its name, which makes it the value cache too, and
 * the batches that are alive.
 *
 * All functions may be called from any thread; one lock, taken once per batch, guards the whole and
 * is a leaf.  A look-up takes it only where the order of series is a new one.
 *
 * When is a series freed?  Samples point to their series, and batches wait in the queues of writers
 * long after the series has left the table.  A counter of references in each series would cost two
 * atomic operations per sample, at a line of memory that all writers fight for.  So memory is
 * reclaimed by epochs (epoch-based reclamation, EBR):
 *
 *   epoch      The serial of a batch: batches are numbered as they are begun.
 *   pinned     An epoch is while its batch is alive.  Whoever looks at a series
 *              has a batch that was begun before the look; so it is the batch,
 *              which is counted anyway, that keeps the series alive.
 *   retired    A series that has been silent for too long leaves the table, and
 *              is stamped with the newest epoch there is, at the end of a list.
 *              A batch begun from now on cannot find it any more.
 *   reclaimed  When the oldest living batch is younger than the stamp no thread
 *              can know the series, and it is freed by the thread that releases the
 *              last older batch.  The list is in order of the stamps, so that
 *              looks at its head only.
 *
 * For example: batch 7 is begun and holds a sample of 's'.  The sweep, which has batch 9, retires
 * 's' with 9 as its stamp.  Batch 9 is released, then 7: if batch 8 still waits, 's' stays.  When
 * that is released, too, the oldest living batch is 10 or none is left, and 's' is freed, after
 * the writers were called to free what they have in its slots.
 *
 * Rows that a larger table has replaced are reclaimed in the same way, because look-ups read the
 * table without the lock (table.h), and so are instances that left in a reload, because a batch
 * points to its maker (store_remembers()).  A series that comes back before it is freed is
 * revived: taken off the list and put in the table again.  The price: one batch that hangs keeps
 * all that was retired since it was begun, in memory, but nothing is wrong with it; the limits of
 * the queues bound it. */
#pragma once

#include <collector/private/status.h>
#include <collector/quota.h>
#include <collector/serve.h>

#include "model/batch.h"
#include "model/series.h"

struct store;

struct store_settings {
	size_t limit;         /* Of series; new ones beyond are refused. */
	double timeout;       /* Silent intervals after which a series ends. */
	unsigned slots_len;   /* Pointers per series: one per writer. */
	size_t history_bytes; /* Of values that are remembered; see recent.h. */
	size_t notes_bytes;   /* Of notes of what has begun and ended; 0: none. */
	/* Called for every slot in use when its series is freed; no lock held. */
	void (*forget)(void *argument, unsigned slot, void *pointer);
	void *argument;
};

struct store *store_new(const struct store_settings *);
void store_free(struct store *);

/* A batch of 'ctx', stamped with the time of now, with one reference. */
struct mc_batch *store_begin(struct store *, struct mc_ctx *);

/* Lets one reference go; the last one hands the batch back. */
void store_release(struct store *, struct mc_batch *);

/* The series of that name, or NULL.  It lives as long as a batch that was begun before the call. */
struct mc_series *store_find(struct store *, const char *name, size_t size);

/* The same for a batch that is being made; cheaper where series come in the order of before. */
struct mc_series *store_find_for(struct store *, struct mc_batch *, const char *name, size_t size);

/* A count that rises when a series of that host leaves the store, or, rarely, one of another host.
 * While it is as it was before a look-up for one batch, what was found then lives as long as a
 * batch that was begun before this call, too.  Takes no lock. */
uint32_t store_count_retirements(const struct store *, const char *host, size_t size);

/* As store_find(), made if it is new, and then charged to the quota; NULL: to none.  Returns 0,
 * -ENOSPC at the limit, or what quota_take() does at that of the quota; both are counted. */
int store_make(struct store *, const struct mc_name_parts *, const struct mc_type *,
	       struct mc_quota *, struct mc_series **out);

/* For mc_quota_new(). */
struct quota_name;
struct mc_quota *store_quota_new(struct store *, const struct quota_name *, enum mc_quota_kind,
				 const struct mc_quota_limits *);

/* For mc_each_quota(). */
void store_each_quota(struct store *, void (*visit)(void *argument, const struct mc_quota_status *),
		      void *argument);

/* Makes the samples of a batch the last ones of their series and computes their rates.  A sample is
 * flagged as refused when it is not newer than the one before, more than a day ahead of the batch,
 * or has not as many values as its type has sources. */
void store_apply(struct store *, struct mc_batch *);

/* The same, up to the first sample whose series has another decision of judges than number 'plain'
 * (engine/judge/decision.h).  Returns whether that was the whole batch; else '*before' is the last
 * sample before it, or NULL. */
bool store_apply_plain(struct store *, struct mc_batch *, uint32_t plain,
		       struct mc_sample **before);

/* The same, for the samples after 'before'; NULL: for all. */
void store_apply_after(struct store *, struct mc_batch *, struct mc_sample *before);

/* Retires the series that have been silent for too long (or marks them as missing, if they are
 * held) and shows each, with the time for which it has been silent; and those that were missing and
 * have values again, with 0.  To be called now and then.  'batch' is the caller's and keeps them
 * alive until it is released. */
void store_sweep(struct store *, struct mc_batch *batch,
		 void (*show)(void *argument, struct mc_series *, mc_time silent), void *argument);

/* Nothing could come for so long, because this process stood still: no series
 * has been silent meanwhile. */
void store_slept(struct store *, mc_time duration);

void store_latest(struct store *, struct mc_series *, struct mc_latest *);

/* The values of the series that are remembered, and it is remembered from now on. */
struct recent_copy;
void store_recall(struct store *, struct mc_series *, struct recent_copy *);

/* The same, but it is remembered no longer for that. */
void store_glance(struct store *, struct mc_series *, struct recent_copy *);

/* The series of that host and plugin are remembered, too.  'batch' is the
 * caller's and keeps alive what is looked at. */
void store_keep(struct store *, struct mc_batch *batch, const char *host, const char *plugin);

/* Settings that may be changed while it is in use. */
void store_set_limits(struct store *, size_t limit, double timeout);
double store_timeout(struct store *);
void store_set_history(struct store *, size_t bytes);

/* Whether a batch is alive that was begun no later than the one with that serial. */
bool store_remembers(struct store *, uint64_t serial);

/* Takes what has begun and ended, or got another metric, since the last time; free it with
 * notes_free(). */
struct notes;
void store_take_notes(struct store *, struct notes *);
void store_take_metric_notes(struct store *, struct notes *);

/* Whether a series has begun whose metric is not in the file yet. */
bool store_awaits_metrics(struct store *);

/* Metrics of the notes that were taken are in the file, or cannot be. */
void store_metrics_written(struct store *);

/* A series has another metric; noted once, until the catalogue takes that. */
void store_note_metric(struct mc_series *);

/* The table of all metrics. */
struct metric_table *store_metrics(struct store *);

/* As store_find(), for the catalogue that will look at its metric now. */
struct mc_series *store_take_metric(struct store *, const char *name, size_t size);

struct store_life { /* Of a series: zeros without a value. */
	mc_time first, last, interval;
};
void store_life(struct store *, const struct mc_series *, struct store_life *);

/* A series that is not in the store, but has left it: as store_find(), of that life and without
 * its values; or the one that is in the store. */
struct mc_series *store_recreate(struct store *, const struct mc_name_parts *,
				 const struct mc_type *, const struct store_life *);

/* The series of that name, if there is one, has begun at 'first', if that is earlier. */
void store_set_first(struct store *, const char *name, size_t size, mc_time first);

/* All series, in no order; 'out' is malloc'd and freed by the caller.  They live as long as a batch
 * that was begun before the call.  The lock is taken for some at a time: a series that comes or
 * goes meanwhile is among them or not. */
size_t store_all(struct store *, struct mc_series ***out);

struct store_counts {
	size_t series, limit;
	uint64_t refused; /* Series that were not made, at the limit. */
};
void store_count(struct store *, struct store_counts *);
