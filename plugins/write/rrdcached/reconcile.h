/* SPDX-License-Identifier: MIT */
/* Files whose state with a rrdcached is not known: it may have been killed and
 * started again since it acknowledged updates of them.
 *
 * rrdcached's journal lies about an update that came while its file was written: "wrote FILE" is
 * put into the journal after it, so that the replay at the start drops it with those that were
 * written.  Its time is remembered, so that it is refused, "illegal attempt", when it is sent
 * again, and once a later update is written no RRD file takes it any more.
 *
 * So before the first update of such a file is sent, PENDING shows the updates that rrdcached has
 * of it.  If there are no updates, or they begin after the first one that is about to be sent,
 * nothing is lost if rrdcached drops it (FORGET): all of it is sent again, and what is missing is
 * taken.  If it begins earlier, the updates to be sent cannot be among those that were dropped.
 *
 * FORGET must not meet a thread that writes the file: lines sent again would then be written
 * twice, which librrd refuses, all of it.  So the file's last time (LAST) and PENDING must stay
 * the same for a while.
 *
 * Used by run(); the lock guards what the comments say. */
#pragma once

#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "formats/rrdcached/reply.h"

struct daemon;

enum reconcile_step {
	RECONCILE_NONE,
	RECONCILE_PENDING, /* Asked, and not all is answered: "PENDING", */
	RECONCILE_LAST,    /* "LAST", */
	RECONCILE_FORGET,  /* "FORGET". */
	RECONCILE_PAUSE,   /* To be asked again at 'due'. */
};

struct reconcile { /* All zero: nothing to do. */
	/* By the lock: positions in the backlog. */
	uint64_t wanted; /* Files of lines before it are to be looked at; */
	uint64_t done;   /* those of lines before it have been. */

	/* Only by run(). */
	enum reconcile_step step;
	uint64_t connection; /* The number of the present one. */
	uint64_t until;      /* The results in 'done'. */
	mc_time due;
	unsigned rounds;
	struct reconcile_file *files;
	size_t files_len, files_room;
	size_t answered; /* The file whose answer is next; */
	bool head;       /* of that, the line that counts. */
	char *paths;
	size_t paths_size, paths_room;
	struct mc_once refusal; /* That rrdcached does not let us ask. */
};

/* With the lock: a connection was made, so all that is to be sent on it is
 * about files that are not known. */
void reconcile_connected(struct daemon *);

/* With the lock: a line was put whose file was not known before. */
void reconcile_want(struct daemon *);

/* With the lock: whether the next batch may be sent. */
bool reconcile_allows(const struct daemon *);

/* Asks what is to be asked now, on daemon->updates; '*wake' becomes earlier if
 * it must be called again by then. */
void reconcile_step(struct daemon *, mc_time now, mc_time *wake);

/* A line of an answer; -EPROTO if it does not answer the request. */
int reconcile_answer(struct daemon *, const struct reply_line *, mc_time now);

/* The connection is gone. */
void reconcile_abandon(struct daemon *);

void reconcile_done(struct daemon *); /* Frees. */
