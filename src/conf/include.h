/* SPDX-License-Identifier: MIT */
/* A configuration file with all it includes: "Include" of a file, a folder
 * (with all below it) or a pattern, at top level and inside blocks. */
#pragma once

#include "base/arena.h"
#include "base/problem.h"
#include "base/timed_calls.h"
#include "conf/parse.h"

#define CONF_INCLUDE_DEPTH_MAX 8 /* Files that include files; as collectd. */

struct conf_tree {
	struct arena arena;     /* Memory of all nodes, texts and file names. */
	struct conf_node *root; /* Its children are the top of the file. */
};

/* Reads the file at 'path' and puts what it includes in place of each Include.  A file or a folder
 * that does not answer, tried by 'calls', is an error.  Whatever is wrong becomes a problem, and
 * the tree holds the rest: it is good to run from only if problems->errors did not grow.  NULL if
 * the file itself cannot be read.  Freed with conf_free(). */
struct conf_tree *conf_load(const char *path, struct timed_calls *calls, struct problems *);
void conf_free(struct conf_tree *); /* NULL is fine. */
