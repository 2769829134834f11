/* SPDX-License-Identifier: MIT */
/* Decompresses bodies: gzip and zstd. */
#ifndef OTLP_INFLATE_H
#define OTLP_INFLATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum inflate_encoding { INFLATE_NONE, INFLATE_GZIP, INFLATE_ZSTD };

/* What of these can be named in Accept-Encoding. */
#define INFLATE_FORMS "gzip, zstd"

/* The encoding of a Content-Encoding; NULL is INFLATE_NONE.  False: not known.
 */
bool inflate_encoding(const char *encoding, enum inflate_encoding *);

struct inflate_limits {
	size_t size_max;     /* Bytes of one body, inflated. */
	atomic_size_t *pool; /* Bytes of all bodies now, and */
	size_t pool_max;     /* how many these may be. */
};

struct inflated { /* Its memory counts in the pool of its limits. */
	unsigned char *bytes;
	size_t size, room;
};

enum inflate_result {
	INFLATE_OKAY,
	INFLATE_BROKEN,    /* Not in that encoding, or truncated. */
	INFLATE_TOO_BIG,   /* More than size_max, or than RATIO_MAX times. */
	INFLATE_NO_MEMORY, /* None is left in the pool, or in the system. */
};
#define INFLATE_RATIO_MAX 50 /* Of requests above INFLATE_SMALL. */
#define INFLATE_SMALL 65536  /* Bytes, inflated. */

/* Inflates a body.  inflate_free() is due if the result is INFLATE_OKAY; else
 * nothing was kept.  Any thread. */
enum inflate_result inflate_body(enum inflate_encoding,
				 const unsigned char *bytes, size_t size,
				 const struct inflate_limits *,
				 struct inflated *);

/* Has room for so many bytes more behind those that there are, in a body that
 * will have size_max at most.  If not, all is as it was. */
enum inflate_result inflate_reserve(const struct inflate_limits *,
				    struct inflated *, size_t more);

/* Gives the memory back. */
void inflate_free(const struct inflate_limits *, struct inflated *);

#endif
