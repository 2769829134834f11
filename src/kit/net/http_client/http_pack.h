/* SPDX-License-Identifier: MIT */
/* Bodies, made smaller: in the forms that HTTP has names for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum http_encoding { HTTP_NONE, HTTP_GZIP, HTTP_ZSTD };

/* Its name in Content-Encoding; NULL for HTTP_NONE. */
const char *http_pack_name(enum http_encoding);

/* The encoding to try when a server rejects this one. */
enum http_encoding http_pack_simpler(enum http_encoding);

/* Whether a list as in Accept-Encoding names it, and not with a weight of 0.  Pure. */
bool http_pack_is_in(const char *list, enum http_encoding);

struct http_pack;

struct http_pack *http_pack_new(void);
void http_pack_free(struct http_pack *);

/* The next body in zstd refers to these bytes, which must stay until then, and has a checksum. */
void http_pack_refer(struct http_pack *, const void *bytes, size_t size);

/* The body of a request as it goes over the wire. */
struct http_body {
	const void *at;
	size_t size;
	enum http_encoding encoding;
};

/* Writes the bytes in that encoding: body->at is in them, or the pack's own
 * until its next use.  False: out of memory. */
bool http_pack_body(struct http_pack *, enum http_encoding, const void *bytes, size_t size,
		    struct http_body *body);
