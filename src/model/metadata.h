/* SPDX-License-Identifier: MIT */
/* Metadata of a source as they are kept: texts that fit for a terminal, in one
 * piece of memory.  Pure functions. */
#pragma once

#include <collector/metadata.h>

struct mc_quota;
struct metadata_table;

struct metadata {                     /* Does not change, except its count of references. */
	struct metadata_table *table; /* Where it is shared. */
	struct mc_quota *quota;       /* Charged with it, NULL: none; ... */
	unsigned room;                /* ... in that room of the table. */
	unsigned references;
	size_t size; /* In bytes. */
	struct mc_metadata content;
	struct mc_attribute attributes[];
};

/* A copy, to be freed with free(). */
struct metadata *metadata_copy(const struct mc_metadata *);

/* An order, for copies.  With an 'a' that is not a copy the result tests equality to the copy 'b';
 * it may report a difference where a copy of 'a' would be equal. */
int metadata_compare(const struct mc_metadata *a, const struct mc_metadata *b);
