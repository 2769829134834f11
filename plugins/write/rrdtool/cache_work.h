/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The side of the disk's thread: which file of the cache is next, and what became of it. */
#pragma once

#include "cache.h"

/* The two clocks: since 1970, and one that is never set. */
struct cache_moment {
	mc_time real, steady;
};

/* The next task of the disk's thread: a file, now BUSY, whose updates are the caller's if
 * 'records' is not NULL; or NULL and until when to sleep.  'urgent': the end is near,
 * WritesPerSecond does not matter. */
struct cache_work {
	struct cache_file *file;
	uint64_t *records;
	uint32_t records_len, records_room;
	mc_time first; /* Time of the oldest update of the file. */
	mc_time wake;  /* Steady clock. */
};
void cache_work_next(struct cache *, struct cache_moment, bool urgent, struct cache_work *);

/* The file of 'work' is there: take its updates, if they are due; false if
 * not, and then nothing is left to do with it. */
bool cache_work_take(struct cache *, struct cache_work *);

/* The end of work on a file.  done(): true if none is failing any more, as this one did.  failed():
 * it is tried again later, ever more slowly, and looked for again; its updates wait for that if
 * 'keep'.  Returns how many are lost. */
bool cache_work_done(struct cache *, struct cache_work *);
uint64_t cache_work_failed(struct cache *, struct cache_work *, mc_time steady, bool keep);
