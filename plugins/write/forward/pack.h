/* SPDX-License-Identifier: MIT */
/* Bodies, made smaller: in the forms that HTTP has names for. */
#ifndef FORWARD_PACK_H
#define FORWARD_PACK_H

#include <stdbool.h>
#include <stddef.h>

enum pack_encoding { PACK_NONE, PACK_GZIP, PACK_ZSTD };

/* What Content-Encoding calls it; NULL of PACK_NONE. */
const char *pack_name(enum pack_encoding);

/* The encoding to try when a server rejects this one. */
enum pack_encoding pack_simpler(enum pack_encoding);

/* Whether a list as in Accept-Encoding names it, and not with a weight of 0.
 * Pure. */
bool pack_is_in(const char *list, enum pack_encoding);

struct pack;

struct pack *pack_new(void); /* NULL: out of memory. */
void pack_free(struct pack *);

/* Writes the bytes in that encoding: *out is in them, or the pack's own until
 * its next use.  False: out of memory. */
bool pack_body(struct pack *, enum pack_encoding, const unsigned char *bytes,
	       size_t size, const unsigned char **out, size_t *out_size);

#endif
