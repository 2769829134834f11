/* SPDX-License-Identifier: MIT */
/* Requests that are sent as one: OTLP's may be appended to each other. */
#ifndef FORWARD_BUFFER_H
#define FORWARD_BUFFER_H

#include <collector/otlp.h>

struct buffer {
	unsigned char *at;
	size_t size, room;
	unsigned samples_len;
};

/* Appends a request. */
void buffer_add(struct buffer *, const struct mc_otlp_bytes *);

/* All that is in it, until it changes. */
struct mc_otlp_bytes buffer_bytes(const struct buffer *);

/* Empties it; its memory is kept. */
void buffer_clear(struct buffer *);
void buffer_free(struct buffer *);

#endif
