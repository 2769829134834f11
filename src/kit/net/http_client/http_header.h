/* SPDX-License-Identifier: MIT */
/* Headers that the user wants sent with every request, such as a token.  Their
 * values are secrets: nothing here shows one. */
#pragma once

#include <stddef.h>

#define HTTP_HEADER_FILE_MAX 65536 /* Bytes of a file with headers. */

struct http_headers {
	char **items; /* "Name: value" */
	size_t len;
	const char *const *reserved; /* Not for the user, beside those of HTTP;
				      * ends with NULL.  NULL: none. */
};

void http_header_free(struct http_headers *);

/* Adds one.  0; -EINVAL: the name is not a word, or the value has control characters; -EEXIST:
 * that header is reserved. */
int http_header_add(struct http_headers *, const char *name, const char *value);

/* Adds those of a file, a "Name: value" in each line; empty lines and those that begin with '#'
 * are skipped. 0, or a negative errno, and '*line' is the one it is about; 0: the file. */
int http_header_read(struct http_headers *, const char *path, unsigned *line);
