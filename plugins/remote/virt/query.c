/* SPDX-License-Identifier: MIT */
/* query: the way around a guest that is stuck.
 *
 * A call that has not come back in time is held up by a guest whose QEMU does not answer.  It is
 * left where it is: as long as it waits, it holds the lock of that guest, and a call with NOWAIT
 * over another connection gets the data of all others and some of that one, which identifies it.
 * Otherwise calls do wait: NOWAIT passes over every guest that another program asks about at the
 * same moment.  Where it must be used, those are asked for again.
 *
 * While somebody destroys a guest whose QEMU does not die, libvirtd keeps it from everybody, for a
 * minute and more, and a call for all guests hangs, NOWAIT or not.  So when a call is late the
 * guests are probed (probe.c), and then those are asked for by name that answer.  So are they if
 * all answer: libvirtd keeps a guest, too, while it starts one that is not known here yet, as one
 * that comes from another host. */
#include "query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "links.h"
#include "probe.h"

/* A call for all guests is late after this part of the interval, or this time, or this multiple of
 * the usual time of such calls; but never after more than two fifths of the interval. */
#define LATE_PART 10
#define LATE_TIME (250 * MC_MILLISECOND)
#define LATE_TIMES 8

static mc_time at_most(mc_time time, mc_time limit)
{
	return time < limit ? time : limit;
}

/* Only the first reason is kept: those that follow, while libvirt goes down and
 * comes up, are of the same absence. */
static void log_failure(struct virt *self, const char *reason)
{
	if (self->away[0] == '\0')
		snprintf(self->away, sizeof(self->away), "%s", reason);
}

/* Whether a call that waits would wait in vain. */
static bool waits_in_vain(const struct virt *self)
{
	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++)
		if (self->links[i] != NULL && connection_busy(self->links[i]))
			return true;
	return self->stuck_len > 0;
}

static mc_time at_least(mc_time time, mc_time limit)
{
	return time > limit ? time : limit;
}

/* 'tries': how many have hung in this read.  The last may take all the time
 * there is, and the first more of it if the guest that would hold it is known:
 * what takes long then is more likely the machine. */
static mc_time patience_of(const struct mc_ctx *ctx, unsigned tries)
{
	const struct virt *self = ctx->self;
	mc_time left = links_time_left(ctx), late = ctx->interval * 2 / 5;

	if (tries > 0)
		return left;
	if (self->usual > 0 && !waits_in_vain(self))
		late = at_most(late, at_least(at_least(ctx->interval / LATE_PART, LATE_TIME),
					      self->usual * LATE_TIMES));
	return at_most(late, left);
}

/* The longest that a call has taken, but what is long ago is forgotten. */
static void note_time(struct virt *self, mc_time took)
{
	self->usual = at_least(took, self->usual - self->usual / 8);
}

static struct calls_bulk *query_once(struct mc_ctx *ctx, unsigned groups,
				     const struct calls_bulk *like, mc_time limit, int *rc)
{
	struct virt *self = ctx->self;
	struct link *link = links_for_all(self);
	size_t only_len = like != NULL ? like->only_len : 0;
	struct calls_bulk *bulk;

	*rc = -EBUSY;
	if (link == NULL)
		return NULL;
	bulk = calls_bulk_new(groups, !waits_in_vain(self), only_len);
	bulk->host_cpus = self->host_cpus;
	bulk->spared = self->spared_groups;
	for (size_t i = 0; i < only_len; i++)
		memcpy(bulk->only[i], like->only[i], VIR_UUID_BUFLEN);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (choice_omits(at->poll.reason))
			calls_bulk_omit(bulk, at->uuid, self->guests.len);
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

static void add_guest(struct calls_bulk *list, const struct guest *guest)
{
	memcpy(list->only[list->only_len++], guest->uuid, VIR_UUID_BUFLEN);
}

/* All guests that are known, or those of 'like', but those that are held. */
static struct calls_bulk *without_held(struct virt *self, const struct calls_bulk *like)
{
	struct calls_bulk *list = calls_bulk_new(0, false, self->guests.len + 1);

	list->only_len = 0;
	for (struct guest *at = NULL;
	     like == NULL && (at = guests_next(&self->guests, at)) != NULL;)
		if (!at->held.lasts)
			add_guest(list, at);
	for (size_t i = 0; like != NULL && i < like->only_len; i++) {
		const struct guest *guest = guests_find(&self->guests, like->only[i]);

		if (guest != NULL && !guest->held.lasts)
			add_guest(list, guest);
	}
	return list;
}

/* 'tries': as in patience_of(). */
static struct calls_bulk *query_free(struct mc_ctx *ctx, unsigned groups,
				     const struct calls_bulk *like, unsigned tries, int *rc)
{
	struct virt *self = ctx->self;
	mc_time limit = patience_of(ctx, tries);
	struct calls_bulk *list, *bulk;

	if (self->held_len == 0 && (tries == 0 || self->guests.len == 0))
		return query_once(ctx, groups, like, limit, rc);
	list = without_held(self, like);
	*rc = 0;
	bulk = list->only_len > 0 ? query_once(ctx, groups, list, limit, rc)
				  : calls_bulk_new(0, false, 0);
	calls_free(&list->job);
	return bulk;
}

struct calls_bulk *query_bulk(struct mc_ctx *ctx, unsigned groups, const struct calls_bulk *like)
{
	struct virt *self = ctx->self;
	struct calls_bulk *bulk = NULL;
	int rc = -ETIMEDOUT;

	for (unsigned tries = 0; tries < 2 && rc == -ETIMEDOUT; tries++) {
		mc_time begun = mc_now(), took;

		bulk = query_free(ctx, groups, like, tries, &rc);
		took = mc_now() - begun;
		if (rc == -ETIMEDOUT && tries == 0)
			probe_all(ctx);
		if (rc != -ETIMEDOUT || self->held_len == 0)
			note_time(self, took);
	}
	if (rc == -ETIMEDOUT || rc == -EBUSY)
		log_failure(self, "libvirt does not answer");
	return bulk;
}

struct calls_bulk *query_again(struct mc_ctx *ctx, unsigned groups, const struct calls_bulk *like)
{
	int rc;

	return query_once(ctx, groups, like, links_patience(ctx), &rc);
}
