/* SPDX-License-Identifier: MIT */
/* Requests that wait for the journal.  Their connections are suspended, so that
 * a thread of libmicrohttpd serves others meanwhile: however slow the disk is,
 * all that come while it writes are written next, together. */
#ifndef OTLP_PENDING_H
#define OTLP_PENDING_H

#include <pthread.h>

#include <microhttpd.h>

#include <collector/control.h>

struct pending {
	pthread_mutex_t lock; /* Guards all below. */
	pthread_cond_t change;
	unsigned len; /* Requests that wait. */
	bool closed;  /* No more may. */
};

struct pending_request {
	struct pending *pending;
	struct MHD_Connection *connection;
	int rc; /* Of the commit, once the connection goes on. */
};

void pending_init(struct pending *);
void pending_done(struct pending *);

/* Suspends the connection and commits the batch; the connection goes on when
 * the result is known.  The request must stay until then.  False: it is closed,
 * the batch is discarded. */
bool pending_commit(struct pending *, struct MHD_Connection *,
		    struct mc_batch *, struct pending_request *);

/* Lets no more wait, and lets those that do go on, without a result if the disk
 * hangs: after that libmicrohttpd may be stopped. */
void pending_close(struct pending *, struct mc_ctx *);

#endif
