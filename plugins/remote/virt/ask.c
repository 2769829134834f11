/* SPDX-License-Identifier: MIT */
/* ask: the way around a guest that is stuck.
 *
 * A call that has not come back in time is held up by a guest whose QEMU does
 * not answer.  It is left where it is: as long as it waits, it holds the lock
 * of that guest, and a call with NOWAIT over another connection gets the data
 * of all others and some of that one, which tells which it is.  Otherwise calls
 * do wait: NOWAIT would lose what another program asks for at the same moment.
 */
#include "ask.h"

#include <errno.h>
#include <string.h>

mc_time ask_patience(const struct mc_ctx *ctx, unsigned tries)
{
	return tries == 0 ? ctx->interval * 2 / 5 : ctx->interval / 4;
}

/* That libvirt is away is no failure of the read: the kernel's values go on,
 * and the next read tries again, which the core would put off. */
static void complain(struct mc_ctx *ctx, const char *reason)
{
	struct virt *self = ctx->self;

	if (!self->away)
		mc_log(ctx, MC_WARN, "%s", reason);
	self->away = true;
}

static void praise(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	if (self->away)
		mc_log(ctx, MC_NOTE, "libvirt answers again");
	self->away = false;
}

struct link *ask_link(struct virt *self)
{
	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++) {
		if (self->links[i] == NULL)
			self->links[i] = link_new(self->connection, false);
		if (!link_busy(self->links[i]))
			return self->links[i];
	}
	return NULL;
}

/* Whether a call that waits would wait in vain. */
static bool is_held(const struct virt *self)
{
	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++)
		if (self->links[i] != NULL && link_busy(self->links[i]))
			return true;
	return self->stuck_len > 0;
}

void ask_drop_spares(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	bool spare = false;

	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++) {
		struct link *link = self->links[i];

		if (link == NULL || link_busy(link))
			continue;
		if (spare) {
			self->links[i] = NULL;
			link_free(ctx, link);
		}
		spare = true;
	}
}

struct calls_bulk *ask_bulk(struct mc_ctx *ctx, unsigned groups,
			    const struct calls_bulk *like)
{
	struct virt *self = ctx->self;
	size_t only_len = like != NULL ? like->only_len : 0;

	for (unsigned tries = 0; tries < 2; tries++) {
		struct link *link = ask_link(self);
		struct calls_bulk *bulk;
		int rc;

		if (link == NULL)
			break;
		bulk = calls_bulk_new(groups, !is_held(self), only_len);
		bulk->host_cpus = self->host_cpus;
		for (size_t i = 0; i < only_len; i++)
			memcpy(bulk->only[i], like->only[i], VIR_UUID_BUFLEN);
		rc = link_call(ctx, link, &bulk->job, ask_patience(ctx, tries));
		if (rc == -ETIMEDOUT)
			continue;
		if (rc == 0) {
			praise(ctx);
			return bulk;
		}
		complain(ctx, bulk->job.reason);
		calls_free(&bulk->job);
		return NULL;
	}
	complain(ctx, "libvirt does not answer");
	return NULL;
}
