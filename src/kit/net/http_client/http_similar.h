/* SPDX-License-Identifier: MIT */
/* The body that a receiver keeps, to which the next one refers: see kit/net/http_dictionary.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

struct http_similar { /* Of a receiver; all zero: it keeps no request. */
	bool kept;
	uint32_t number; /* Of that; ... */
	uint32_t last;   /* ... of the last request; 0: no request yet. */
	struct mc_buffer body;
	unsigned misses;  /* Of the last requests, that it did not have theirs. */
	mc_time next_try; /* Until then it is not asked to keep any. */
};

void http_similar_done(struct http_similar *);

/* The header of a request with a body of that size; "": it has none.  'refers': to the body that
 * is kept. */
void http_similar_header(struct http_similar *, size_t size, char out[64], bool *refers);

/* The answer to such a request has come: 'header' is its header, or "". */
struct http_similar_answer {
	long status;
	const char *header;
};
void http_similar_answer(struct http_similar *, const void *body, size_t size,
			 const struct http_similar_answer *);
