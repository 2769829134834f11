/* SPDX-License-Identifier: MIT */
/* collector/private/catalogue.h - series that are not here any more, for plugins that show them.
 *
 * The collector knows every series that ever had a value, up to CatalogueLimit of those that have
 * ended, also after a restart.  After a restart a series counts as ended only when it has had the
 * time to come back; until then mc_find() finds it, as one without values.  All functions may be
 * called from any thread of the instance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/metric.h>
#include <collector/plugin.h>

#pragma GCC visibility push(default)

#define MC_FORGET_NAME_SIZE 640
#define MC_FORGET_WHY_SIZE 256

struct mc_ended { /* A series without values now. */
	const char *name;
	mc_time first, last; /* Times of its first and its last value, to the second; after a
				crash the last one is a minute too late at most. */
	mc_time interval;    /* At which it was measured; 0: unknown. */
	bool lived;          /* When the collector stopped: its last value may be a later one. */
	bool away; /* It had not come back when the collector stopped again; its last value is of
		      before. */
	const struct mc_metric *metric; /* As its sender called it; NULL: not otherwise. */
};

/* Shows those whose name matches the glob (NULL: all), in the order of their names, until 'show'
 * returns false.  Returns how many match. */
size_t mc_each_ended(struct mc_ctx *ctx, const char *glob,
		     bool (*show)(void *argument, const struct mc_ended *), void *argument);

/* Shows the hosts of series that lived until the start and have had no time to come back yet, each
 * with the time of its last value, in no order. */
void mc_each_awaited_host(struct mc_ctx *ctx,
			  void (*show)(void *argument, const char *host, mc_time last),
			  void *argument);

struct mc_forgotten {
	size_t len, files;    /* Series that are forgotten, and files that were removed. */
	size_t sending, kept; /* Series that have values; whose files could not be removed. */
	char name[MC_FORGET_NAME_SIZE]; /* Of the first of either, */
	char why[MC_FORGET_WHY_SIZE];   /* and why its files could not. */
};

/* Forgets series that have ended and match the glob, and everything that plugins know of them; with
 * 'files' also removes the files that writers have of them, and waits for the disk.  Returns 0;
 * -EBUSY: some still have values, and nothing is forgotten; -EIO: some files could not be removed,
 * and these series are not forgotten. */
int mc_forget(struct mc_ctx *ctx, const char *glob, bool files, struct mc_forgotten *result);

struct mc_learned {
	size_t files, len; /* Files that were looked at, and series that were not known before. */
	bool full;         /* More are not: there are CatalogueLimit. */
};

/* Has series known that writers have files of, as of a tree that somebody else has written.  Waits
 * for the disk. */
void mc_learn(struct mc_ctx *ctx, struct mc_learned *result);

#pragma GCC visibility pop
