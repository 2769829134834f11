/* SPDX-License-Identifier: MIT */
/* Calls for statistics, over as many connections as it takes. */
#ifndef VIRT_QUERY_H
#define VIRT_QUERY_H

#include "calls.h"
#include "virt.h"

/* How long a call beside the one for statistics may take: whatever hangs, the
 * read fits into its interval. */
mc_time query_patience(const struct mc_ctx *ctx);

/* When a job of many calls is to end by itself, so that what it got by then is
 * not lost with it. */
mc_time query_until(const struct mc_ctx *ctx);

/* Whether a call may be made on the link: nothing hangs on it, and if it must
 * be connected first, not too many wait for that already. */
bool query_may_call(struct virt *self, const struct link *link);

/* A connection for which that is so, or NULL: for statistics, and for calls
 * about one guest at a time. */
struct link *query_connection(struct virt *self);
struct link *query_each_connection(struct virt *self);

/* Asks for groups of all guests or, with 'like', of those that it names; if the
 * call hangs, once more over another connection.  The reply, to be freed, or
 * NULL; then self->away says why. */
struct calls_bulk *query_bulk(struct mc_ctx *ctx, unsigned groups,
			      const struct calls_bulk *like);

/* The same for guests that a reply without waiting passed over: one short try,
 * which fails without a word. */
struct calls_bulk *query_again(struct mc_ctx *ctx, unsigned groups,
			       const struct calls_bulk *like);

/* Back to one connection when calls have come back. */
void query_drop_idle(struct mc_ctx *ctx);

#endif
