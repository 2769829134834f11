/* SPDX-License-Identifier: MIT */
/* Components and tags of curves, by which they are named and grouped.  Pure. */
#pragma once

#include "evaluation.h"

/* "a.c" for the components 0 and 2, or tags, that the arguments from that number on say; the caller
 * frees it. */
char *node_key(const struct call *, unsigned first, const struct curve *);

/* Adds a component of a path of that size, which counts from the end if 'number' is negative;
 * nothing without one. */
struct mc_buffer;
void node_add(struct mc_buffer *, const char *path, size_t size, int number);

/* Splits curves into lists of those with the same key, in the order of their first ones.  The
 * caller frees 'keys', and each of them. */
struct node_groups {
	char **keys;
	struct curve **lists; /* The caller takes them. */
	unsigned len, room;
};
void node_group(struct node_groups *, struct curve *curves,
		char *(*key)(const struct call *, const struct curve *), const struct call *);
void node_groups_done(struct node_groups *);

/* The list of that key; NULL without one. */
struct curve **node_find(const struct node_groups *, const char *key);
