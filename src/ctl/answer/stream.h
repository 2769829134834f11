/* SPDX-License-Identifier: MIT */
/* The stream of TAP, decoded: samples with their types, notifications. */
#pragma once

#include <stdint.h>

#include "formats/plaintext/plaintext.h"

#include "ctl/answer/peer.h"
#include "ctl/ctl.h"

struct stream_type; /* A type that has been asked for. */

struct stream {
	struct peer tap; /* The stream; may be polled: tap.fd. */
	struct peer ask; /* For the types: the stream has no room for those. */
	struct stream_type *types;
	size_t types_len;
	int unheard; /* -errno, once a question for a type got no answer. */
	struct mc_plain_context context;
	struct mc_plain plain; /* The line that was read last. */
};

enum stream_kind { STREAM_SAMPLE, STREAM_NOTICE, STREAM_LOST };

struct stream_event { /* Valid until the next one is read. */
	enum stream_kind kind;
	const char *name;           /* STREAM_SAMPLE: as in LISTVAL. */
	const struct mc_type *type; /* Valid until stream_close(). */
	struct mc_stamp stamp;
	const union mc_value *values;               /* Raw; one per source of the type. */
	const struct mc_notification *notification; /* STREAM_NOTICE */
	uint64_t lost; /* STREAM_LOST: lines that we were too slow for. */
};

/* Follows what matches 'glob' (NULL: all).  CTL_OK, or complains and returns an exit code. */
int stream_open(struct stream *, const struct ctl *, const char *glob);
void stream_close(struct stream *);

/* The next event: 1; -ETIMEDOUT if none comes within 'timeout_ms' (-1: no
 * limit); 0 at the end of the stream; -errno. */
int stream_next(struct stream *, int timeout_ms, struct stream_event *);

/* Complains of the end of the stream; 'status' is what stream_next() returned.
 * Returns an exit code. */
int stream_lost(const struct stream *, const struct ctl *, int status);
