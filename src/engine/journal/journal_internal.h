/* SPDX-License-Identifier: MIT */
/* The inside of the journal, for the files that it is made of, from the ground
 * up: state.c, what it is asked; tail.c, what is written and synced; add.c,
 * records that are added; journal_reader.c, records that are read; retain.c,
 * what is removed; recover.c, what a start finds; journal.c, its life. */
#pragma once

#include <collector/kit/lock.h>

#include "engine/journal/dedup.h"
#include "engine/journal/journal.h"

struct journal {
	char *path;
	int folder, lock_file;
	enum journal_sync sync;
	uint64_t limit, min_free, segment_size;
	uint64_t epoch;

	/* The journal writer's.  The tail is every frame that is not known to
	 * be safe: 'kept' bytes of it are in the journal, 'written' bytes in
	 * the file that is open, and what follows waits for the commit. */
	int file;
	uint8_t *tail;
	size_t tail_size, tail_room, written, kept;
	size_t appended; /* Payload after the tail, of the next record. */
	struct mc_offset tail_start;
	struct mc_offset staged; /* After the last record that was added. */
	mc_time retry_at;
	uint64_t serial;
	const struct mc_dedup_id **signed_for; /* Of records that were added. */
	size_t signed_len, signed_room;
	struct dedup dedup;
	const char *full;  /* The cause, when samples were dropped; ... */
	uint64_t unlogged; /* ... of which these were not logged yet, ... */
	mc_time logged_at; /* ... of others it was then; 0: never. */

	_Atomic bool failed;
	_Atomic mc_time failed_since; /* clock_wall() */
	_Atomic uint64_t write_failures, sync_failures, dropped_segments;

	pthread_mutex_t lock;     /* For all below.  But for the damage only the
				   * journal writer changes it, so that it
				   * reads without the lock. */
	struct segment *segments; /* Oldest first. */
	size_t segments_len;
	uint64_t bytes;
	struct mc_offset done; /* After the last record that was committed. */
	struct segment_damage damage MC_GUARDED_BY(lock);
	/* The newest; one is only ever added, and all stay to the end, so that
	 * the journal writer goes through them without the lock. */
	struct cursor *_Atomic cursors;
};

/* Finds the files of the folder, and where the next record goes. */
int recover_files(struct journal *);

/* Removes the oldest files until the quota holds; a gap is added where a writer
 * had not read them. */
void retain_quota(struct journal *);

/* The same until the disk has the room that is to stay free. */
void retain_min_free(struct journal *);

/* Logs how many samples had to go for that, at most once in 'pause'. */
void retain_tell(struct journal *, mc_time pause);

/* Removes the files that every cursor is through with. */
void retain_needed(struct journal *);

/* Keeps the dedup ids that there are, so that the records may go. */
void journal_keep_dedup(struct journal *);

/* Writes the tail as far as it is not in the file that is open. */
int tail_write(struct journal *);

/* Makes the tail safe, and forgets it. */
int tail_sync(struct journal *);
void tail_forget(struct journal *);

/* Seals the file that is open, and closes it. */
void tail_close(struct journal *);

/* After a failure to do 'what': returns rc, and the journal is not ready for a while. */
int tail_give_up(struct journal *, int rc, const char *what);

static inline struct segment *journal_newest(struct journal *journal)
{
	return &journal->segments[journal->segments_len - 1];
}
