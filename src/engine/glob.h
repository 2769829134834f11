/* SPDX-License-Identifier: MIT */
/* A glob that is asked of many texts: what fnmatch(3) says without flags.  One
 * of '*' and plain characters alone, as most are, costs a search for each of
 * its literal parts; the others cost what fnmatch() does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct glob;

/* NULL: the glob that matches all.  The pattern is copied. */
struct glob *glob_new(const char *pattern);
void glob_free(struct glob *);

/* The text ends with '\0' after 'size' bytes.  Thread: any. */
bool glob_matches(const struct glob *, const char *text, size_t size);
