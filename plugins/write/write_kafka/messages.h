/* SPDX-License-Identifier: MIT */
/* Samples of a batch as messages of Kafka: one for each host in OTLP, or one for each sample as
 * collectd has them.  One thread. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/buffer.h>
#include <collector/private/otlp.h>
#include <collector/writer.h>

#include "kit/series/sample_text.h"

enum { MESSAGES_OTLP = MC_SAMPLE_GRAPHITE + 1 }; /* Of 'text.format'. */

struct messages_options {
	const char *stream; /* Instance and topic: others number messages of their own. */
	const char *topic;  /* With "%{tenant}"; NULL: all are of the same. */
	const char *key;    /* NULL: the host; "Random": none. */
	struct mc_sample_text text;
};

struct message {
	const char *topic; /* NULL: that of all. */
	const char *key;   /* NULL: none. */
	const char *bytes;
	size_t size;
	unsigned samples_len;
	char stream[MC_DEDUP_ID_MAX + 1]; /* "": it has no number. */
	char number[48];                  /* "7", or "7-9". */
};

struct messages { /* All zero at first, but for 'size_max' and 'options'. */
	const struct messages_options *options;
	size_t size_max; /* Bytes of a message of OTLP. */

	/* Its own: */
	struct mc_otlp_writer *writer;
	const struct mc_sample *last; /* Of the batch; its message was made. */
	struct mc_buffer text;        /* The message, or all of OTLP. */
	struct messages_part *parts;  /* Of that: */
	size_t parts_len, parts_room, next;
	struct mc_buffer joined;
	char key[MC_LABEL_SIZE]; /* uuid of a guest. */
	char tenant[MC_LABEL_SIZE];
	char *topic; /* Of that; NULL: not made. */
};

void messages_init(struct messages *, struct mc_ctx *);
void messages_done(struct messages *);

/* Begins a batch, anew if it was begun before. */
void messages_begin(struct messages *, const struct mc_batch *);

/* Makes the next message, which lives until the next call.  False at the end.  Thread: write()'s.
 */
bool messages_next(struct messages *, struct mc_ctx *, const struct mc_batch *, struct message *);
