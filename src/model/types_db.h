/* SPDX-License-Identifier: MIT */
/* Reads types.db files: collectd's format (types.db(5)), and our descriptions
 * in its comments.  The head of our own types.db shows the format.
 *
 * A bad line is a warning with its place; all other lines count.  A later row of the same name
 * wins, unless it is about one of the collector's own types (in the set when it was sealed) and
 * has other sources: then it is ignored with a warning, for plugins and RRD files depend on those.
 *  Rows without unit and help leave those as they were. */
#pragma once

#include <stddef.h>

#include "base/problem.h"
#include "model/type.h"

#define TYPES_DB_SIZE_MAX (16 << 20) /* A larger file is not read. */

/* Adds the rows of 'text', which need not end with '\0', to the set.  'file'
 * is the name for messages.  Pure, apart from its outputs. */
void types_db_parse(struct type_set *, const char *text, size_t size, const char *file,
		    struct problems *);

/* The same for a file.  Returns 0, whatever the lines were like, or -errno if
 * it cannot be read, which is then a warning among the problems, too. */
int types_db_read(struct type_set *, const char *path, struct problems *);
