/* SPDX-License-Identifier: MIT */
/* ask: the way around a guest that is stuck.
 *
 * A call that has not come back in time is held up by a guest whose QEMU does
 * not answer.  It is left where it is: as long as it waits, it holds the lock
 * of that guest, and a call with NOWAIT over another connection gets the data
 * of all others and some of that one, which tells which it is.  Otherwise calls
 * do wait: NOWAIT passes over every guest that another program asks about at
 * the same moment.  Where it must be used, those are asked for again.
 *
 * While a guest that is stuck is destroyed, libvirtd keeps it from everybody
 * for up to 15 s, and a call for all guests hangs, NOWAIT or not.  Then the
 * others are asked for by name.
 *
 * A host far away that takes a connection and says nothing holds whoever opens
 * it for as long as it is there: libvirt looks after connections only once they
 * are open, and before that only the kernel does, if it is told to.  Nothing is
 * to be gained there by a second try at once, so only few wait, and more only
 * as time goes by: for the host may be well again, and one that was left not
 * hear of it before long. */
#include "query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tcp_keepalive.h"

/* Connections that may be waited for: at once, all in all, and how long after
 * the first of them it may be one more. */
#define DIALS_FIRST 2
#define DIALS_MAX 4
#define DIALS_EVERY (60 * MC_SECOND)

/* What is left of the interval, for calls; never nothing. */
static mc_time time_left(const struct mc_ctx *ctx)
{
	const struct virt *self = ctx->self;
	mc_time left = self->begun + ctx->interval * 9 / 10 - mc_now();

	return left > ctx->interval / 20 ? left : ctx->interval / 20;
}

static mc_time at_most(mc_time time, mc_time limit)
{
	return time < limit ? time : limit;
}

mc_time query_patience(const struct mc_ctx *ctx)
{
	return at_most(ctx->interval / 4, time_left(ctx));
}

mc_time query_until(const struct mc_ctx *ctx)
{
	return mc_now() + query_patience(ctx) * 3 / 4;
}

/* Only the first reason is kept: those that follow, while libvirt goes down and
 * comes up, are of the same absence. */
static void log_failure(struct virt *self, const char *reason)
{
	if (self->away[0] == '\0')
		snprintf(self->away, sizeof(self->away), "%s", reason);
}

static unsigned dialing_of(struct link *const *links, unsigned links_len)
{
	unsigned len = 0;

	for (unsigned i = 0; i < links_len; i++)
		len += links[i] != NULL && connection_dials(links[i]);
	return len;
}

static unsigned dialing(const struct virt *self)
{
	return dialing_of(self->links, VIRT_LINKS_MAX) +
	       dialing_of(self->each_links, VIRT_EACH_LINKS_MAX) +
	       dialing_of(&self->events.link, 1);
}

bool query_may_call(struct virt *self, const struct link *link)
{
	mc_time now = mc_now();
	unsigned len;

	if (connection_busy(link))
		return false;
	if (connection_open(link))
		return true;
	len = dialing(self);
	if (len == 0)
		self->dialed = now;
	else
		tcp_keepalive_asking(self->connection);
	return len < DIALS_MAX &&
	       len < DIALS_FIRST + (now - self->dialed) / DIALS_EVERY;
}

static struct link *find_link(struct virt *self, struct link **links,
			      unsigned links_len, bool writes)
{
	for (unsigned i = 0; i < links_len; i++) {
		if (links[i] == NULL)
			links[i] = connection_new(self->connection, writes);
		if (query_may_call(self, links[i]))
			return links[i];
	}
	return NULL;
}

struct link *query_connection(struct virt *self)
{
	return find_link(self, self->links, VIRT_LINKS_MAX, false);
}

struct link *query_each_connection(struct virt *self)
{
	return find_link(self, self->each_links, VIRT_EACH_LINKS_MAX,
			 (self->extra & EXTRA_FS_INFO) != 0);
}

/* Whether a call that waits would wait in vain. */
static bool is_held(const struct virt *self)
{
	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++)
		if (self->links[i] != NULL && connection_busy(self->links[i]))
			return true;
	return self->stuck_len > 0;
}

/* 'tries': how many have hung in this read.  The last may take all the time
 * there is, and the first most of it if the guest that would hold it is known:
 * what takes long then is more likely the machine. */
static mc_time patience_of(const struct mc_ctx *ctx, unsigned tries)
{
	mc_time left = time_left(ctx);

	if (tries > 0)
		return left;
	return is_held(ctx->self) ? left * 3 / 4
				  : at_most(ctx->interval * 2 / 5, left);
}

void query_drop_idle(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	bool kept = false;

	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++) {
		struct link *link = self->links[i];

		if (link == NULL || connection_busy(link))
			continue;
		if (kept) {
			self->links[i] = NULL;
			connection_free(ctx, link);
		}
		kept = true;
	}
}

static struct calls_bulk *query_once(struct mc_ctx *ctx, unsigned groups,
				     const struct calls_bulk *like,
				     mc_time limit, int *rc)
{
	struct virt *self = ctx->self;
	struct link *link = query_connection(self);
	size_t only_len = like != NULL ? like->only_len : 0;
	struct calls_bulk *bulk;

	*rc = -EBUSY;
	if (link == NULL)
		return NULL;
	bulk = calls_bulk_new(groups, !is_held(self), only_len);
	bulk->host_cpus = self->host_cpus;
	for (size_t i = 0; i < only_len; i++)
		memcpy(bulk->only[i], like->only[i], VIR_UUID_BUFLEN);
	*rc = connection_call(ctx, link, &bulk->job, limit);
	if (*rc == 0) {
		self->away[0] = '\0';
		return bulk;
	}
	if (*rc != -ETIMEDOUT) {
		log_failure(self, bulk->job.reason);
		calls_free(&bulk->job);
	}
	return NULL;
}

/* All guests that are known but those that are stuck. */
static struct calls_bulk *without_stuck(struct virt *self)
{
	struct calls_bulk *list =
		calls_bulk_new(0, false, self->guests.len + 1);

	list->only_len = 0;
	for (struct guest *at = NULL;
	     (at = guests_next(&self->guests, at)) != NULL;)
		if (!at->stuck)
			memcpy(list->only[list->only_len++], at->uuid,
			       VIR_UUID_BUFLEN);
	return list;
}

/* Whether more calls hang than one that is left for a guest that is stuck. */
static bool is_jammed(const struct virt *self)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++)
		busy += self->links[i] != NULL &&
			connection_busy(self->links[i]);
	return self->stuck_len > 0 && busy > 1;
}

struct calls_bulk *query_bulk(struct mc_ctx *ctx, unsigned groups,
			      const struct calls_bulk *like)
{
	struct virt *self = ctx->self;
	struct calls_bulk *bulk = NULL, *rest = NULL;
	int rc = -ETIMEDOUT;

	for (unsigned tries = 0; tries < 2 && rc == -ETIMEDOUT; tries++) {
		if (like == NULL && is_jammed(self))
			like = rest = without_stuck(self);
		bulk = query_once(ctx, groups, like, patience_of(ctx, tries),
				  &rc);
	}
	if (rc == -ETIMEDOUT || rc == -EBUSY)
		log_failure(self, "libvirt does not answer");
	calls_free(rest != NULL ? &rest->job : NULL);
	return bulk;
}

struct calls_bulk *query_again(struct mc_ctx *ctx, unsigned groups,
			       const struct calls_bulk *like)
{
	int rc;

	return query_once(ctx, groups, like, query_patience(ctx), &rc);
}
