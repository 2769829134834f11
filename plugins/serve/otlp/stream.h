/* SPDX-License-Identifier: MIT */
/* The senders that number their requests, and how far each is.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/journal.h>
#include <collector/kit/lock.h>
#include <collector/kit/map.h>

struct streams {
	size_t len_max;
	pthread_mutex_t lock;
	struct mc_lru names MC_GUARDED_BY(lock); /* Of struct stream. */
	uint64_t duplicates MC_GUARDED_BY(lock); /* Requests known before. */
};

void stream_init(struct streams *, size_t len_max);
void stream_done(struct streams *);

/* The requests of one sender that were taken before the start. */
void stream_know(struct streams *, const struct mc_dedup_id *);

enum stream_verdict {
	STREAM_TAKE,      /* stream_end() must follow. */
	STREAM_RETRY,     /* So it must; its values came before, and could not
			   * be kept safely. */
	STREAM_DUPLICATE, /* It was taken before. */
	STREAM_BUSY,      /* It is being taken right now. */
};

/* Whether to take the request of that dedup id.  Another epoch of a sender starts anew, once a
 * request of it was taken; a sender that is not known is taken as it comes.  If there are too many,
 * the one longest unheard is forgotten. */
enum stream_verdict stream_begin(struct streams *, const struct mc_dedup_id *);

struct stream_gap { /* Numbers that never came; 0 and 0: none are missing. */
	uint64_t first, last;
};

enum stream_outcome {
	STREAM_TAKEN,
	STREAM_UNSAFE,  /* Its values are known, but not kept safely; */
	STREAM_REFUSED, /* or not known: its number may come again. */
};

/* Records the result of the request.  Returns the numbers that are missing before it if it was
 * taken. */
struct stream_gap stream_end(struct streams *, const struct mc_dedup_id *, uint64_t first,
			     enum stream_outcome);
