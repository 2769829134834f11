/* SPDX-License-Identifier: MIT */
/* The difference between two configurations, instance by instance.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "daemon/config/configure.h"

/* All that a configuration says about an instance, in one form whatever its
 * blanks, comments and files are: two texts are equal if and only if nothing
 * has changed for it.  'interval' is the global one.  Freed with free(). */
char *difference_text(const struct wanted *, mc_time interval);

struct identity {
	const char *name; /* Of the instance; once in a configuration. */
	const char *text; /* See difference_text(). */
	bool fails;       /* It has not started: it is to be tried again. */
};

#define DIFFERENCE_NONE ((size_t)-1)

struct difference {
	size_t *kept; /* Of each after: which one before it is, and stays; or
		       * DIFFERENCE_NONE: it joins. */
	bool *stays;  /* Of each before. */
	size_t kept_len, changed, added, removed;
};

/* Freed with difference_done(). */
struct difference difference_find(const struct identity *before, size_t before_len,
				  const struct identity *after, size_t after_len);
void difference_done(struct difference *);
