/* SPDX-License-Identifier: MIT */
/* A batch: the samples of one read or of one received packet, in one arena.  Its maker fills it;
 * after the commit it is constant; each user holds a reference, and the last release hands it
 * back. */
#pragma once

#include <stdatomic.h>

#include <collector/plugin.h>

#include "base/arena.h"

#define BATCH_CHUNK 2048 /* Bytes a batch starts with: 36 plain samples. */

#define BATCH_ASKED 4 /* A power of two. */

/* Sample flags.  Each of the others stands for a writer that does not get it; see engine/judge/. */
#define SAMPLE_REFUSED 1u /* Not newer, absurd, or not of its type. */

struct batch_stream { /* In the arena. */
	struct batch_stream *next;
	const char *host, *text;
};

struct mc_batch {
	struct mc_sample *first; /* First: mc_next() looks there. */
	struct mc_sample *last;
	struct mc_ctx *ctx;                /* The instance that makes it. */
	mc_time time;                      /* Stamp of samples that bring none. */
	uint64_t serial;                   /* Order in which batches were begun. */
	struct mc_batch *older, *newer;    /* Living batches; lock of the store. */
	const void *mark;                  /* Set by its maker: mc_set_origin(). */
	struct mc_quota *quota;            /* Quota of new series; may be NULL. */
	struct mc_rejected *rejected;      /* Its maker's, or NULL. */
	struct mc_batch *keeps;            /* An older one that outlives it, or NULL. */
	const struct mc_dedup_id *receipt; /* In the arena; NULL: none. */
	struct batch_stream *streams;      /* Of hosts, in the order of their samples. */
	struct batch_stream *streams_end;  /* The last one. */
	const struct batch_stream *stream; /* The one found last, or NULL. */
	const char *recipients; /* For copies, see engine/judge/copies.h: names of writers, in the
				   arena; else NULL. */
	/* Samples that a judge keeps from the store, and why: see engine/change/late.h. */
	struct mc_sample *late, *late_last;
	const char *late_why;
	bool scheduled; /* It is what an instance has read when it was due. */
	atomic_uint references;
	struct arena arena;
	uint32_t hidden;                      /* Flags of samples that mc_next() leaves out. */
	uint32_t excluded;                    /* Flags that some samples have, ... */
	uint32_t excluded_all;                /* ... and that all have. */
	uint32_t lineage;                     /* Flags of the judges that it was derived by. */
	struct mc_series *asked[BATCH_ASKED]; /* Last look-ups, a ring. */
	unsigned asked_len;
	uint64_t accepted; /* Samples in the list without a flag. */
	uint64_t refused;  /* Samples that were not taken, or are flagged. */
};

void batch_init(struct mc_batch *);
void batch_done(struct mc_batch *);

/* Empties it for its next use, with one reference. */
void batch_begin(struct mc_batch *, struct mc_ctx *, mc_time time);

/* Bytes of memory it holds. */
size_t batch_size(const struct mc_batch *);

/* How many of the samples that are not refused have one of these flags. */
uint64_t batch_count(const struct mc_batch *, uint32_t flags);

/* Counts a sample that is not taken, also for mc_count_rejected() unless 'why' is NULL. */
void batch_reject(struct mc_batch *, const struct mc_series *, const char *why);

/* The stream of a host, or NULL: see collector/private/stream.h.  Thread: the committer's. */
const char *batch_stream_of(struct mc_batch *, const char *host);

/* The same; quick if it is 'near', which is one of the batch or NULL, or the next one. */
const struct batch_stream *batch_find_stream(const struct mc_batch *, const char *host,
					     const struct batch_stream *near);

/* A committed batch without the samples that have one of these flags: itself if it has none of
 * them, else 'view', which is valid as long as the batch is. */
const struct mc_batch *batch_without(const struct mc_batch *, uint32_t flags,
				     struct mc_batch *view);
