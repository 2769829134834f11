/* SPDX-License-Identifier: MIT */
/* Updates that are left where they are anyway, in the journal, and read from there later, so that
 * the memory has its limit and nothing waits that could go on.  Two kinds are:
 *
 *   - all of one of several daemons, which has been away for so long that its
 *     backlog is full: the other daemons go on;
 *   - those of files that are still to be made, when what waits for such files
 *     in memory is too much: files that are there go on.
 *
 * The journal is read in passes.  One of a daemon that was away ends when there is nothing left,
 * and its updates come directly again.  Samples that a pass finds of a file that cannot be made
 * stay for the next, which begins when such a file was made.  A file of which something is left
 * gets nothing directly: RRD files take no update that is older than their last.
 *
 * write() leaves updates out, run() reads them again; the shared lock guards what both use. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/once.h>
#include <collector/writer.h>

struct daemon;
struct file;

struct behind {
	struct mc_consumer *track; /* NULL: there is no journal. */

	/* By the lock. */
	bool active;           /* Something is left: */
	bool whole;            /* of all files, not only of those to be made. */
	bool reading;          /* A pass has begun; */
	bool again;            /* another one is to follow, or */
	bool probe;            /* this one is to see if the quota took any. */
	uint64_t pass;         /* Its number. */
	struct mc_offset from; /* It goes on from here, */
	uint64_t end;          /* up to that record; */
	struct mc_offset left; /* the next one begins here, if anywhere. */
	uint64_t since;        /* From that record on it was counted: */
	uint64_t missing;      /* updates left and not read again; of these */
	uint64_t kept;         /* found by the pass, and left again; and */
	uint64_t lost;         /* not found by it, and to be reported. */

	/* Only by run(). */
	mc_time due;           /* When to look what the quota took. */
	struct mc_once once;   /* That it is active. */
	struct mc_offset safe; /* Last offset given to the track. */
};

/* Before anything is put: one of several daemons goes on where the process before had come. */
void lagging_open(struct daemon *);

/* --- With the lock ---------------------------------------------------- */

/* An update has no room: it and all that come are left out.  False if there is
 * no journal that has them. */
bool lagging_begin(struct daemon *);

/* The file is still to be made, and its update has no room: it and all that
 * come for the file are left out.  False as of lagging_begin(). */
bool lagging_leave(struct daemon *, const struct file *);

/* Whether updates of the file are left out. */
bool lagging_holds(const struct daemon *, const struct file *);

/* Leaves out an update of the batch that is put now; returns how many wait more by that. */
uint64_t lagging_skip(struct daemon *, struct file *, int64_t second);

/* The file was made, or its updates need not wait any more. */
void lagging_made(struct daemon *, const struct file *);

/* The oldest offset of what is left; BACKLOG_NO_OFFSET: nothing is. */
struct mc_offset lagging_oldest(const struct daemon *);

/* --- By run(), without the lock --------------------------------------- */

/* The daemon's next record, if it has room for one; 'find' says which file a sample belongs to,
 * with the lock.  Returns when to look for more: 0, at once; later, if the journal cannot be read
 * now or something is left; INT64_MAX, when something has happened. */
mc_time lagging_step(struct daemon *, mc_time now,
		     struct file *(*find)(struct mc_ctx *, const struct mc_sample *));

/* Reports to the journal from where on it must keep samples: from 'oldest', if that is any. */
void lagging_tell_safe(struct daemon *, struct mc_offset oldest);
