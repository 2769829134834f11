/* SPDX-License-Identifier: MIT */
/* The Key blocks of a document, as a tree of the parts of their paths.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct key { /* A block. */
	const char *path, *type, *instance;
};

struct keys_node {
	char *name;            /* A part of a path; "*": any. */
	const struct key *key; /* That ends here, or NULL. */
	struct keys_node *children, *next;
};

/* Adds a key, which must outlive the tree, below its root.  False: its path has
 * no parts, or another key has the same path. */
bool keys_add(struct keys_node *root, const struct key *);

/* The child for that name of a map's key, or number of a list's item: the one
 * of that name, or else "*", or else NULL.  As in collectd, what a key names is
 * not looked for below a "*" of other keys. */
const struct keys_node *keys_child(const struct keys_node *, const char *name, size_t size);

/* Frees all below the root. */
void keys_done(struct keys_node *root);
