/* SPDX-License-Identifier: MIT */
/* How much of the files of a spool the journal has: what its dedup ids say, so
 * that a file which was not finished is known after a crash.
 *
 * A file has a number, and shares an id with those whose number is the same modulo PROGRESS_IDS.
 * A file is begun only when the one before it of its id is finished: so the last of an id does not
 * concern files of other ids, and a file that did not come to the journal is never hidden by a
 * later one that did.  Of one file a single batch is on its way at a time: so nor is a piece of a
 * file.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/journal.h>

#define PROGRESS_IDS 512 /* Files that may be on their way to the journal. */
#define PROGRESS_NUMBER_MAX UINT32_MAX
#define PROGRESS_OFFSET_MAX UINT32_MAX

/* The part read of a file. */
struct extent {
	uint64_t offset; /* Up to which it has been read. */
	bool skipping;   /* In the middle of a line that is too long. */
	bool pending;    /* The last batch is on its way to the journal. */
};

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
bool progress_finished(const struct progress *, uint64_t number, uint64_t *offset);

/* The id of a batch that ends at 'offset' of the file. */
void progress_id(const struct progress *, uint64_t number, uint64_t offset, struct mc_dedup_id *id);
