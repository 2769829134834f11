/* SPDX-License-Identifier: MIT */
/* collector/private/catalogue.h - series that are not here any more, for plugins that show them.
 *
 * The collector knows every series that ever had a value, up to CatalogueLimit of those that have
 * ended, also after a restart.  After a restart a series counts as ended only when it has had the
 * time to come back.  All functions may be called from any thread of the instance.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_ended { /* A series without values now. */
	const char *name;
	mc_time first, last; /* Times of its first and its last value, to the second; after a
				crash the last one is a minute too late at most. */
	mc_time interval;    /* At which it was measured; 0: unknown. */
};

/* Shows those whose name matches the glob (NULL: all), in the order of their names, until 'show'
 * returns false.  Returns how many match. */
size_t mc_each_ended(struct mc_ctx *ctx, const char *glob,
		     bool (*show)(void *argument, const struct mc_ended *), void *argument);

/* Forgets series that have ended and match the glob, and everything that plugins know of them;
 * files stay.  Returns how many there were; or -EBUSY: some still have values, then nothing is
 * forgotten, '*sending' is how many, and 'name' is the name of one. */
#define MC_FORGET_NAME_SIZE 640
int64_t mc_forget(struct mc_ctx *ctx, const char *glob, size_t *sending,
		  char name[MC_FORGET_NAME_SIZE]);

#pragma GCC visibility pop
