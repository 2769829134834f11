/* SPDX-License-Identifier: MIT */
/* The file of what was taken of spools.  Before a batch is handed over, "take" lines say up to
 * which time it has the values of which service, and a "whole" line up to which time all were
 * taken; these count when a "safe" line follows, or when the journal has the batch of that number.
 *
 *   take NUMBER SECONDS SERVICE HOST
 *   whole NUMBER SECONDS HOST
 *   safe NUMBER HOST
 *
 * The thread of run(), but for times_load() and times_close(). */
#pragma once

#include <collector/journal.h>
#include <collector/kit/once.h>
#include <collector/kit/state_file.h>
#include <collector/plugin.h>

struct node;

struct times {
	struct mc_ctx *ctx;
	const char *path; /* "": there is no file. */
	struct node *nodes;
	size_t nodes_len;
	struct node *found; /* The one that was looked for last. */
	struct mc_state_file file;
	struct mc_buffer text; /* Reused. */
	struct mc_once unwritable;
};

/* Reads the file, and what the journal knows, into the spools of the nodes.  start(). */
void times_load(struct times *);
void times_close(struct times *);

/* The batch that the spool of the node has is about to be handed over. */
void times_add(struct times *, struct node *);

/* 'whole' of the spool is new. */
void times_add_whole(struct times *, struct node *);

/* The batches up to the one that it calls confirmed are safe. */
void times_confirm(struct times *, const struct node *);

/* Under which name the journal knows it. */
void times_dedup_name(const struct node *, char out[MC_DEDUP_ID_MAX + 1]);
