/* SPDX-License-Identifier: MIT */
/* probe: libvirtd locks a guest while it destroys it, or looks at an image on
 * storage that is gone.  Until then each call that so much as names that guest
 * hangs, and so does a call for all; calls that name others take no time.
 *
 * So each guest's state is asked for by itself, which costs its QEMU nothing.  A call that hangs
 * is left on its connection, and its return says that the guest is free.  Each of them keeps one
 * of libvirtd's workers, so they are few: where more guests are held, those without progress in
 * the kernel's figures are left out, until one of the calls comes back. */
#include "probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "calls.h"
#include "links.h"
#include "virt.h"

/* How long one guest may take.  Its call takes much less than 1 ms. */
#define PATIENCE (100 * MC_MILLISECOND)

struct probe {
	struct connection_job job;
	unsigned char uuid[VIR_UUID_BUFLEN];
};

static void probe_free(struct connection_job *job)
{
	free(job);
}

/* A guest that is gone answers, too. */
static int probe_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	struct probe *probe = (struct probe *)job;
	virDomainPtr domain = virDomainLookupByUUID(conn, probe->uuid);
	int state, reason;

	(void)fresh;
	if (domain != NULL) {
		virDomainGetState(domain, &state, &reason, 0);
		virDomainFree(domain);
	}
	return virConnectIsAlive(conn) == 1 ? 0 : connection_explain(job, "cannot find a guest");
}

/* To connect takes longer than to ask. */
static int connect_run(struct connection_job *job, virConnectPtr conn, bool fresh)
{
	(void)job, (void)conn, (void)fresh;
	return 0;
}

static struct probe *probe_new(int (*run)(struct connection_job *, virConnectPtr, bool))
{
	struct probe *probe = mc_alloc_zero(sizeof(*probe));

	probe->job.run = run;
	probe->job.free = probe_free;
	return probe;
}

static int call(struct mc_ctx *ctx, struct link *link, struct probe *probe, mc_time limit)
{
	int rc = connection_call(ctx, link, &probe->job, limit);

	if (rc != -ETIMEDOUT)
		probe_free(&probe->job);
	return rc;
}

/* Returns 0 if the guest answers, -ETIMEDOUT if not; -EBUSY if too many calls
 * hang, or another error if libvirt does not answer at all. */
static int ask(struct mc_ctx *ctx, const struct guest *guest)
{
	struct link *link = links_for_probe(ctx->self);
	struct probe *probe;
	int rc;

	if (link == NULL)
		return -EBUSY;
	if (!connection_open(link) &&
	    call(ctx, link, probe_new(connect_run), links_patience(ctx)) < 0)
		return -EIO;
	probe = probe_new(probe_run);
	memcpy(probe->uuid, guest->uuid, sizeof(probe->uuid));
	rc = call(ctx, link, probe, PATIENCE);
	if (rc == -ETIMEDOUT)
		connection_blame(link, guest->uuid);
	return rc;
}

static bool hangs(const struct virt *self, const struct guest *guest)
{
	return connection_blames(self->probe_links, VIRT_PROBE_LINKS_MAX, guest->uuid);
}

static void count_held(struct virt *self)
{
	self->held_len = 0;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		self->held_len += at->held.lasts;
}

/* On a machine that is slow just now they may have answered by now. */
static void look_again(struct virt *self)
{
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (at->held.hangs && !hangs(self, at))
			hold_end(&at->held, mc_now());
}

void probe_all(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	mc_time end = mc_now() + links_time_left(ctx) / 3;

	if (links_dialing(self) > 0) /* Not a guest, but libvirt is away. */
		return;
	for (struct guest *at = NULL;
	     (at = guests_next(&self->guests, at)) != NULL && mc_now() < end;) {
		int rc = at->held.lasts ? 0 : ask(ctx, at);

		if (rc == -ETIMEDOUT)
			hold_begin(&at->held, mc_now());
		else if (rc == -EBUSY && kernel_seems_dead(ctx, &at->map))
			hold_postpone(&at->held, mc_now());
		else if (rc < 0 && rc != -EBUSY)
			break;
	}
	look_again(self);
	count_held(self);
}

void probe_held(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	if (self->held_len == 0)
		return;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		int rc;

		if (!at->held.lasts || hangs(self, at))
			continue;
		if (at->held.hangs)
			hold_release(&at->held, mc_now(), ctx->interval);
		if (!hold_allows(&at->held, mc_now()))
			continue;
		rc = ask(ctx, at);
		if (rc == -ETIMEDOUT)
			hold_begin(&at->held, mc_now());
		else if (rc == 0)
			hold_end(&at->held, mc_now());
		else if (rc != -EBUSY)
			break;
	}
	count_held(self);
}
