/* SPDX-License-Identifier: MIT */
/* How far the files that grow have been read, in a file of the instance: for a
 * start without a journal that knows it.  A line is a dedup id of single.h:
 *
 *   NAME NUMBER
 *
 * The thread of run(), but for offsets_load() and offsets_close(). */
#pragma once

#include <collector/journal.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

struct offsets {
	struct mc_ctx *ctx;
	char *path;
	struct mc_dedup_id *ids; /* Of each spool; no name: of none. */
	size_t len;
	bool changed;
	mc_time due; /* When to write it again, at the earliest. */
	struct mc_once unwritable;
};

/* Has room for the spools, and calls visit() for each line that the file has:
 * offsets_keep() has it stay there. */
void offsets_load(struct offsets *, struct mc_ctx *, size_t spools_len,
		  void (*visit)(void *argument, const struct mc_dedup_id *id), void *argument);

/* The spool of that index has been read up to there before this start. */
void offsets_keep(struct offsets *, size_t spool, const struct mc_dedup_id *);

/* The spool of that index has been read up to there, and it need not be read again. */
void offsets_set(struct offsets *, size_t spool, const struct mc_dedup_id *);

/* Writes the file if something has changed, once a second. */
void offsets_save(struct offsets *, mc_time now);

/* When offsets_save() has something to do; INT64_MAX: never. */
mc_time offsets_due(const struct offsets *);

/* Writes what has changed, and frees. */
void offsets_close(struct offsets *);
