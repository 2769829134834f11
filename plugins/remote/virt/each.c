/* SPDX-License-Identifier: MIT */
/* each: one call over a connection of its own asks one guest after the other.  If it hangs, because
 * the agent in a guest does, or its QEMU, or what it works on, it is left there, and the others are
 * asked over another connection: that guest is left out until its call comes back. */
#include "each.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "calls.h"
#include "links.h"
#include "moving.h"
#include "report.h"

#define TRIES 2 /* In one read. */
#define CALLS "disk_err, job_stats, fs_info or LatencyHistogram"

/* Words for which all guests are asked, whether or not they did I/O. */
#define OF_ALL (EXTRA_DISK_ERR | EXTRA_JOB_COMPLETED | EXTRA_JOB_BACKGROUND | EXTRA_FS_INFO)

struct asked { /* In this order. */
	struct guest **guests;
	size_t len;
};

static bool hangs(const struct virt *self, const struct guest *guest)
{
	return connection_blames(self->each_links, VIRT_EACH_LINKS_MAX, guest->uuid);
}

/* Bits of ExtraStats for which the guest is asked: the budget may leave some out. */
static unsigned extra_of(const struct virt *self, const struct guest *guest)
{
	unsigned extra = self->due & OF_ALL;

	if (choice_omits(guest->poll.reason))
		extra &= ~self->spared;
	if ((self->due & EXTRA_HISTOGRAM) != 0 && percentiles_wanted(guest))
		extra |= EXTRA_HISTOGRAM;
	return extra;
}

/* Those that run; and those that are paused, for that is what an error of a disk does to a guest.
 * Not those that say nothing or are moved: they would hold the call for all. */
static bool is_askable(struct mc_ctx *ctx, struct guest *guest)
{
	const struct virt *self = ctx->self;

	if (guest == NULL || guest->silent > 0 || moving_lasts(guest, mc_now()) ||
	    (guest->state != VIR_DOMAIN_RUNNING && guest->state != VIR_DOMAIN_PAUSED))
		return false;
	if (extra_of(self, guest) == 0)
		return false;
	if (guest->each_held.hangs && !hangs(self, guest))
		hold_release(&guest->each_held, mc_now(), ctx->interval);
	return hold_allows(&guest->each_held, mc_now());
}

/* Begins where the last read ended, which may have had no time for all. */
static void choose(struct mc_ctx *ctx, struct guest *const *guests, size_t guests_len,
		   struct asked *asked)
{
	const struct virt *self = ctx->self;
	struct guest **all = mc_alloc_array(guests_len + 1, sizeof(struct guest *));
	size_t first;

	asked->len = 0;
	for (size_t i = 0; i < guests_len; i++)
		if (is_askable(ctx, guests[i]))
			all[asked->len++] = guests[i];
	first = asked->len > 0 ? self->each_first % asked->len : 0;
	for (size_t i = 0; i < asked->len; i++)
		asked->guests[i] = all[(first + i) % asked->len];
	free(all);
}

/* Only a connection that writes may ask for file systems and histograms; if that is refused, the
 * rest goes on without. */
static void refuse(struct mc_ctx *ctx, const char *reason)
{
	struct virt *self = ctx->self;

	if ((self->extra & EACH_WRITES) == 0 || ++self->each_refusals < LINK_REFUSALS_MAX)
		return;
	mc_log(ctx, MC_WARN, "no read-write connection, so no fs_info or LatencyHistogram: %s",
	       reason);
	self->extra &= ~(unsigned)EACH_WRITES;
	for (unsigned i = 0; i < VIRT_EACH_LINKS_MAX; i++) {
		connection_free(ctx, self->each_links[i]);
		self->each_links[i] = NULL;
	}
}

static void report(struct mc_ctx *ctx, struct mc_batch *out, struct calls_each *each,
		   const struct asked *asked)
{
	struct virt *self = ctx->self;

	self->each_refusals = 0;
	self->each_first += each->reached;
	for (size_t i = 0; i < each->reached; i++)
		if (asked->guests[i]->each_held.lasts) {
			hold_end(&asked->guests[i]->each_held, mc_now());
			mc_log(ctx, MC_NOTE, "guest '%s' answers calls for " CALLS " again",
			       asked->guests[i]->name);
		}
	for (size_t i = 0; i < each->facts_len; i++)
		report_fact(ctx, out, asked->guests[each->facts[i].guest], &each->facts[i]);
	for (size_t i = 0; i < each->reached; i++)
		if ((each->only[i].extra & EXTRA_HISTOGRAM) != 0)
			percentiles_take(ctx, out, asked->guests[i], &each->only[i].disks,
					 each->only[i].rc);
}

static void blame(struct mc_ctx *ctx, struct link *link, const struct asked *asked)
{
	size_t step = connection_step(link);
	struct guest *guest;

	if (connection_dials(link) || step >= asked->len)
		return;
	guest = asked->guests[step];
	connection_blame(link, guest->uuid);
	if (!guest->each_held.lasts)
		mc_log(ctx, MC_WARN, "guest '%s' does not answer calls for " CALLS, guest->name);
	hold_begin(&guest->each_held, mc_now());
}

/* Returns false if the call hangs, and another try may do better. */
static bool ask(struct mc_ctx *ctx, struct mc_batch *out, const struct asked *asked)
{
	struct virt *self = ctx->self;
	struct link *link = links_for_each(self);
	struct calls_each *each;
	int rc;

	if (link == NULL || asked->len == 0)
		return true;
	each = calls_each_new(asked->len, links_until(ctx));
	for (size_t i = 0; i < asked->len; i++) {
		const struct guest *guest = asked->guests[i];
		struct calls_one *one = &each->only[i];

		one->runs = guest->state == VIR_DOMAIN_RUNNING;
		one->extra = extra_of(self, guest);
		one->refused = guest->percentiles.refused;
		memcpy(one->uuid, guest->uuid, VIR_UUID_BUFLEN);
	}
	rc = connection_call(ctx, link, &each->job, links_patience(ctx));
	if (rc == -ETIMEDOUT) {
		blame(ctx, link, asked);
		return false;
	}
	if (rc == -EIO)
		refuse(ctx, each->job.reason);
	if (rc == 0)
		report(ctx, out, each, asked);
	calls_free(&each->job);
	return true;
}

void each_report(struct mc_ctx *ctx, struct mc_batch *out, struct guest *const *guests,
		 size_t guests_len)
{
	struct virt *self = ctx->self;
	struct asked asked;

	if ((self->due & (OF_ALL | EXTRA_HISTOGRAM)) == 0)
		return;
	asked.guests = mc_alloc_array(guests_len + 1, sizeof(struct guest *));
	for (unsigned tries = 0; tries < TRIES; tries++) {
		choose(ctx, guests, guests_len, &asked);
		if (ask(ctx, out, &asked))
			break;
	}
	free(asked.guests);
	for (size_t i = 0; i < guests_len && (self->due & EXTRA_HISTOGRAM) != 0; i++)
		if (guests[i] != NULL && guests[i]->state == VIR_DOMAIN_RUNNING &&
		    choice_omits(guests[i]->poll.reason))
			percentiles_rest(ctx, out, guests[i]);
}
