/* SPDX-License-Identifier: MIT */
/* How much of the files of a spool the journal has: what its dedup ids say, so
 * that a file which was not finished is known after a crash.
 *
 * A file has a number, and shares an id with those whose number is the same
 * modulo PROGRESS_IDS.  A file is begun only when the one before it of its id
 * is finished: so the last of an id tells nothing about files that other ids
 * are for, and a file that did not come to the journal is never hidden by one
 * behind it that did.  Of one file many batches may be on their way: if one
 * fails and one behind it does not, a kill before it is read again loses it.
 * Pure functions. */
#ifndef PERFDATA_PROGRESS_H
#define PERFDATA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <collector/journal.h>

#define PROGRESS_IDS 512 /* Files that may be on their way to the journal. */
#define PROGRESS_NUMBER_MAX UINT32_MAX
#define PROGRESS_OFFSET_MAX UINT32_MAX

/* What was read of a file.  After a failure it is read again from the first
 * batch that failed, when none is on its way any more. */
struct extent {
	uint64_t offset; /* Up to which it has been read. */
	bool skipping;   /* In the middle of a line that is too long. */
	bool failed;     /* One of its batches has; it began here: */
	uint64_t failed_offset;
	bool failed_skipping;
	unsigned pending; /* Batches on their way to the journal. */
};

/* A batch that began there has failed: its values are with the writers, so that
 * nothing counts twice when it is read again, as none is newer. */
void progress_failed(struct extent *, uint64_t offset, bool skipping);

/* None of its batches is on its way any more.  Whether it is to be read again.
 */
bool progress_settle(struct extent *);

struct progress {
	char name[MC_DEDUP_ID_MAX + 1]; /* Of all ids, without their ends. */
	uint64_t known[PROGRESS_IDS];   /* The last that the journal has. */
};

/* For the spool of an instance at 'path'. */
void progress_init(struct progress *, const char *instance, const char *path);

/* Takes what the journal says. */
void progress_know(struct progress *, const struct mc_dedup_id *);

/* The largest number that the journal has; 0: none. */
uint64_t progress_last(const struct progress *);

/* Whether the journal has all of a file that is still there; if not, from where
 * on it is to be read. */
bool progress_finished(const struct progress *, uint64_t number,
		       uint64_t *offset);

/* The id of a batch that ends at 'offset' of the file. */
void progress_id(const struct progress *, uint64_t number, uint64_t offset,
		 struct mc_dedup_id *id);

#endif
