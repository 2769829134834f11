/* SPDX-License-Identifier: MIT */
/* collector/kit/inflate.h - decompresses what others have sent, gzip and zstd,
 * within limits, in libkit_http_server.  Any thread. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum mc_inflate_encoding { MC_INFLATE_NONE, MC_INFLATE_GZIP, MC_INFLATE_ZSTD };

/* Those that may be named in Accept-Encoding. */
#define MC_INFLATE_ENCODINGS "gzip, zstd"

/* The encoding of a Content-Encoding; NULL is MC_INFLATE_NONE.  False: not known. */
bool mc_inflate_encoding(const char *encoding, enum mc_inflate_encoding *);

struct mc_inflate_limits {
	size_t size_max;     /* Bytes of one body, inflated. */
	atomic_size_t *pool; /* Bytes of all bodies now, and */
	size_t pool_max;     /* how many these may be. */
	const void *prefix;  /* Bytes that a body of zstd refers to; NULL: none. */
	size_t prefix_size;
};

struct mc_inflated { /* Its memory counts in the pool of its limits. */
	unsigned char *bytes;
	size_t size, room;
};

enum mc_inflate_result {
	MC_INFLATE_OKAY,
	MC_INFLATE_BROKEN,    /* Not in that encoding, or truncated. */
	MC_INFLATE_TOO_BIG,   /* More than size_max, or than RATIO_MAX times. */
	MC_INFLATE_NO_MEMORY, /* None is left in the pool, or in the system. */
};
#define MC_INFLATE_RATIO_MAX 50 /* Of requests above MC_INFLATE_SMALL. */
#define MC_INFLATE_SMALL 65536  /* Bytes, inflated. */

/* Inflates a body.  mc_inflate_free() is due if the result is MC_INFLATE_OKAY;
 * else nothing was kept. */
enum mc_inflate_result mc_inflate_body(enum mc_inflate_encoding, const unsigned char *bytes,
				       size_t size, const struct mc_inflate_limits *,
				       struct mc_inflated *);

/* Makes room for 'more' bytes at the end of a body that will have size_max at most.  False, and
 * unchanged, if that would be exceeded. */
enum mc_inflate_result mc_inflate_reserve(const struct mc_inflate_limits *, struct mc_inflated *,
					  size_t more);

/* Gives the memory back. */
void mc_inflate_free(const struct mc_inflate_limits *, struct mc_inflated *);
