/* SPDX-License-Identifier: MIT */
/* Patterns of Graphite's paths: '*', '?', "[abc]" and "{a,b}" within a component. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_SIZE 1024 /* Of a pattern and of a path, with '\0'. */
#define PATTERN_ALTERNATIVES 64
#define PATTERN_STARS 16

struct pattern {
	char *patterns[PATTERN_ALTERNATIVES]; /* Without braces; '/' is '.'. */
	unsigned len;
	unsigned components; /* Of each. */
};

/* False: it is too long, or has too many alternatives or stars. */
bool pattern_init(struct pattern *, const char *pattern);
void pattern_done(struct pattern *);

/* Whether it matches the whole path; or the first components of the path, as
 * many as the pattern has: '*size' is where these end. */
bool pattern_matches(const struct pattern *, const char *path);
bool pattern_begins(const struct pattern *, const char *path, size_t *size);

/* Whether it has anything to match by. */
bool pattern_is_plain(const char *pattern);
