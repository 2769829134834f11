/* SPDX-License-Identifier: MIT */
/* The control groups whose path matches, found by a walk at each read. */
#pragma once

#include "containers.h"
#include "group.h"

#define TABLE_PATTERNS_MAX 64
#define TABLE_DEPTH_MAX 16

struct table_pattern { /* "/machine.slice/" and a star, in its parts. */
	char *parts[TABLE_DEPTH_MAX];
	unsigned len;
};

struct table {
	struct group_reads reads;
	struct table_pattern patterns[TABLE_PATTERNS_MAX];
	unsigned patterns_len;
	size_t groups_max;
	bool guests;           /* Guests are hosts of their own. */
	bool names_containers; /* Containers have their names. */
	struct containers containers;

	/* Whether the group with this name, without its folders, is wanted. */
	bool (*selects)(void *argument, const char *name);
	void *argument;

	struct mc_map groups; /* By path. */
	struct mc_map names;  /* By host and plugin instance. */
	struct group **order; /* All, by path. */
	bool has_changed;     /* 'order' is to be made anew. */

	/* Findings of this read: */
	size_t skipped; /* Groups that groups_max left out. */
};

/* Splits a path with wildcards of glob(7); false if it is not absolute, has no
 * part, "." or "..", or too many, or there are too many already. */
bool table_add_pattern(struct table *, const char *path);

/* Finds the groups below 'mount', and reports them.  Returns 0, or -errno if
 * the mount cannot be read. */
int table_read(struct table *, struct mc_ctx *, const char *mount, struct mc_batch *out);

/* Frees all groups. */
void table_forget(struct table *);
void table_done(struct table *);
