/* SPDX-License-Identifier: MIT */
/* A part of a file that is read at a time, in lines.  Thread: run()'s. */
#pragma once

#include "ingest.h"

#define CHUNK_SIZE ((size_t)256 << 10)
#define CHUNK_LINE_MAX ((size_t)64 << 10)

/* Takes the lines of a text of 'size' bytes, which has room for one more and is changed.  Returns
 * how much of it is done with; the rest begins a line, and is to be read again together with what
 * follows.  Fewer bytes than CHUNK_SIZE are the end of the file.  '*skipping', false at first: the
 * text begins in the middle of a line that is too long. */
size_t chunk_take(struct ingest *, char *text, size_t size, bool *skipping);
