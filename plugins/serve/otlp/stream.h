/* SPDX-License-Identifier: MIT */
/* The senders that number their requests, and how far each is.  What is asked
 * here may be asked by any thread. */
#ifndef OTLP_STREAM_H
#define OTLP_STREAM_H

#include <pthread.h>

#include <collector/plugin.h>

#define STREAM_NAME_SIZE 65 /* With '\0': "uuid/epoch". */

struct stream;
struct streams {
	pthread_mutex_t lock; /* Guards all below. */
	struct stream *first; /* In no order. */
	size_t len, len_max;
	uint64_t duplicates; /* Requests that were known. */
	uint64_t missing;    /* Numbers that never came. */
};

void stream_init(struct streams *, size_t len_max);
void stream_done(struct streams *);

enum stream_verdict {
	STREAM_TAKE,      /* stream_end() must follow. */
	STREAM_DUPLICATE, /* It was taken before. */
	STREAM_BUSY,      /* It is being taken right now. */
	STREAM_BAD,       /* The name is none. */
};

/* Whether to take request 'number' of the stream of that name, "uuid/epoch".
 * Another epoch of a sender starts anew; a sender that is not known is taken
 * as it comes.  If there are too many, the one longest unheard is forgotten. */
enum stream_verdict stream_begin(struct streams *, const char *name,
				 uint64_t number);

/* The request was taken, or not: then its number may come again. */
void stream_end(struct streams *, const char *name, uint64_t number,
		bool taken);

#endif
