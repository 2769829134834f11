/* SPDX-License-Identifier: MIT */
/* Requests that wait for the journal.  Their connections are suspended, so that
 * a thread of libmicrohttpd serves others meanwhile: however slow the disk is,
 * all that come while it writes are written next, together. */
#ifndef OTLP_PENDING_H
#define OTLP_PENDING_H

#include <pthread.h>
#include <stdbool.h>

#include <microhttpd.h>

#include <collector/plugin.h>

struct worker;

struct pending {
	pthread_mutex_t lock; /* Guards all below. */
	pthread_cond_t change;
	unsigned len; /* Requests that wait. */
	bool closed;  /* No more may. */
};

struct pending_request {
	/* The caller's, set before pending_commit(). */
	struct MHD_Connection *connection;
	struct worker *worker; /* That serves it. */

	int rc; /* Of the commit, once the connection goes on. */
	struct pending *pending; /* The rest is pending.c's own. */
	bool done, suspended;    /* Lock of the pending. */
};

void pending_init(struct pending *);
void pending_done(struct pending *);

/* Commits the batch of a request.  True: the connection is suspended, and goes
 * on when the result is there; the request must stay until then.  False: the
 * result is there now, -ECANCELED if no more may wait. */
bool pending_commit(struct pending *, struct mc_batch *,
		    struct pending_request *);

/* Lets no more wait, and lets those that do go on, without a result if the disk
 * hangs: after that libmicrohttpd may be stopped. */
void pending_close(struct pending *, struct mc_ctx *);

#endif
