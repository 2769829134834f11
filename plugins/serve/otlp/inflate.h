/* SPDX-License-Identifier: MIT */
/* Bodies that come compressed: in gzip's form, or zstd's. */
#ifndef OTLP_INFLATE_H
#define OTLP_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

enum inflate_encoding { INFLATE_NONE, INFLATE_GZIP, INFLATE_ZSTD };

/* What of these can be named in Accept-Encoding. */
#define INFLATE_FORMS "gzip, zstd"

/* The form of a Content-Encoding; NULL is INFLATE_NONE.  False: not known. */
bool inflate_encoding(const char *encoding, enum inflate_encoding *);

enum inflate_result {
	INFLATE_OKAY,
	INFLATE_BROKEN,  /* Not in that form, or cut short. */
	INFLATE_TOO_BIG, /* More than size_max, or than RATIO_MAX times. */
	INFLATE_NO_MEMORY,
};
#define INFLATE_RATIO_MAX 50 /* Of requests above INFLATE_SMALL. */
#define INFLATE_SMALL 65536  /* Bytes, inflated. */

/* Inflates into memory that the caller frees with free(). */
enum inflate_result inflate_body(enum inflate_encoding,
				 const unsigned char *bytes, size_t size,
				 size_t size_max, unsigned char **out,
				 size_t *out_size);

#endif
