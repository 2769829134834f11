/* SPDX-License-Identifier: MIT */
/* Headers that the user wants sent with every request, such as a token.  Their
 * values are secrets: nothing here shows one. */
#ifndef FORWARD_HEADER_H
#define FORWARD_HEADER_H

#include <stddef.h>

#define HEADER_FILE_MAX 65536 /* Bytes of a file with headers. */

struct headers {
	char **items; /* "Name: value" */
	size_t len;
};

void header_free(struct headers *);

/* Adds one.  0; -EINVAL: the name is no word, or the value has control
 * characters; -EEXIST: that header is ours. */
int header_add(struct headers *, const char *name, const char *value);

/* Adds those of a file, a "Name: value" in each line; empty lines and those
 * that begin with '#' are none.  0, or a negative errno, and '*line' is the one
 * it is about; 0: the file. */
int header_read(struct headers *, const char *path, unsigned *line);

#endif
