/* SPDX-License-Identifier: MIT */
/* The journal: one log of records on disk, in files of some MiB each, and for
 * every writer a cursor that says how far it has come.
 *
 * A record gets the next sequence number and is never changed.  Records that the disk loses are
 * lost alone: every start finds out by itself what is there, whatever was cut, flipped or removed,
 * and what is missing is known by its number.
 *
 * One thread, the journal writer's, adds records; any thread reads them,
 * through engine/journal_reader.h. */
#pragma once

#include <collector/plugin.h>

#include "engine/journal/cursor.h"
#include "engine/journal/segment.h"

struct journal;

enum journal_sync {                        /* When records are written through to the disk. */
		    JOURNAL_SYNC_BATCH,    /* Before they are reported as safe. */
		    JOURNAL_SYNC_INTERVAL, /* Every second: that much a power
					      cut costs. */
		    JOURNAL_SYNC_OFF,      /* When the kernel likes. */
};
#define JOURNAL_SYNC_INTERVAL_TIME MC_SECOND

struct journal_settings {
	const char *path; /* A folder; made if need be, its parents are not. */
	enum journal_sync sync;
	uint64_t bytes;    /* Of all files; beyond it the oldest one goes. */
	uint64_t min_free; /* Bytes that stay free on the disk: with fewer the
			    * oldest file goes, too.  0: no such limit. */
};

/* Opens the journal and puts in order what it finds.  0 or -errno: the folder has another owner or
 * is open to others (-EPERM), or held by another process (-EBUSY).  Damage is logged. */
int journal_open(const struct journal_settings *, struct journal **);
void journal_close(struct journal *);

/* --- The journal writer's thread ----------------------------------------- */

/* False after a failure, until it is time to try again. */
bool journal_is_ready(const struct journal *);

/* Whether what was written last failed. */
bool journal_is_failing(const struct journal *);

struct journal_record {
	unsigned type; /* enum frame_type */
	uint32_t samples;
	mc_time time;
	const void *payload; /* The end of the record, after the appended part. */
	size_t size;
	const struct mc_dedup_id *receipt; /* Of its sender, or NULL; until the
					    * commit. */
};

/* Begins the payload of the next record, or goes on with it. */
void journal_append(struct journal *, const void *bytes, size_t size);

/* Adds a record to those that the next commit writes.  Its sequence number; 0
 * if it is too large. */
uint64_t journal_add(struct journal *, const struct journal_record *);

/* Samples of all records so far, those that were only added included. */
uint64_t journal_samples(const struct journal *);

/* Writes what was added, in one go, and makes it safe as 'sync' says.  0; or
 * -errno, and the records are not in the journal. */
int journal_commit(struct journal *);

/* Whether all that is in the journal is as safe as 'sync' promises. */
bool journal_is_safe(const struct journal *);

/* To be called every JOURNAL_SYNC_INTERVAL_TIME: syncs, tries again, removes
 * files that all cursors are through with, or that the disk has no room for. */
void journal_tick(struct journal *);

/* --- Receipts ------------------------------------------------------------ */

struct dedup *journal_receipts(struct journal *);

/* --- Cursors -------------------------------------------------------------- */

/* The cursor of a writer, which from now on keeps its records from being removed, and where it
 * stands; the same one again for the same name.  One thread at a time asks for cursors, one moves
 * each of them.  They are closed with the journal. */
struct cursor *journal_cursor(struct journal *, const char *writer, struct mc_offset *);

/* --- Any thread ------------------------------------------------------- */

struct journal_status {
	uint64_t epoch;
	struct mc_offset end;    /* Where the next record begins. */
	struct mc_offset oldest; /* Where the first begins that is there. */
	uint64_t bytes, limit, segments;
	uint64_t write_failures, sync_failures;
	uint64_t dropped_segments; /* By the quota. */
	struct segment_damage damage;
	bool failed;          /* Nothing can be written now, ... */
	mc_time failed_since; /* ... since then (1970). */
};
void journal_count(struct journal *, struct journal_status *);

/* Whether that many further bytes leave a tenth of the limit free: beyond the limit records are
 * removed that some writer still needs. */
bool journal_has_room(struct journal *, uint64_t more);

/* Where the oldest record begins that is there. */
struct mc_offset journal_start(struct journal *);

/* The file that has the record 'seq', or the oldest one after it, and the record with which the
 * next file begins ('next' of the journal for the last file).  False if there is no such record. */
bool journal_find(struct journal *, uint64_t seq, struct segment *, uint64_t *end);

const char *journal_path(const struct journal *);
int journal_folder(const struct journal *);
uint64_t journal_epoch(const struct journal *);
void journal_add_damage(struct journal *, const struct segment_damage *);
