/* SPDX-License-Identifier: MIT */
/* What a daemon gets later than the others: it has been away for so long that
 * its backlog is full.  From then on its updates are left where they are
 * anyway, in the journal, and read from there when it has room again, until
 * there are none.  The other daemons notification nothing, and the memory has
 * its limit.
 *
 * write() leaves updates out, run() reads them again; the shared lock guards
 * what both use. */
#ifndef RRDCACHED_LAGGING_H
#define RRDCACHED_LAGGING_H

#include <collector/journal.h>
#include <collector/kit/once.h>
#include <collector/writer.h>

struct daemon;
struct file;

struct behind {
	struct mc_consumer *track; /* NULL: there is no journal. */

	/* By the lock. */
	bool active;
	struct mc_offset from; /* It is to get all from here on, */
	uint64_t end;          /* up to that record. */
	uint64_t since;        /* From that record on it was counted: */
	uint64_t missing;      /* updates left out and not read again. */

	/* Only by run(). */
	struct mc_once once;   /* That it is active. */
	struct mc_offset safe; /* What the track was told. */
};

/* Before anything is put: goes on where the process before had come. */
void lagging_open(struct daemon *);

/* --- With the lock ---------------------------------------------------- */

/* An update has no room: it and all that come are left out.  False if there is
 * no journal that has them. */
bool lagging_begin(struct daemon *);

/* Leaves out an update of the batch that is put now. */
void lagging_skip(struct daemon *, struct file *, int64_t second);

/* --- By run(), without the lock --------------------------------------- */

/* The daemon's next record, if it has room for one; 'find' says which file a
 * sample belongs to, with the lock.  Returns when to look for more: 0, at once;
 * later, if the journal cannot be read now; INT64_MAX, when something has
 * happened. */
mc_time lagging_step(struct daemon *, mc_time now,
		     struct file *(*find)(struct mc_ctx *,
					  const struct mc_sample *));

/* Tells the journal from where on it must keep what came. */
void lagging_tell_safe(struct daemon *);

#endif
