/* SPDX-License-Identifier: MIT */
/* links: one connection for each kind of call, and another one while a call hangs on it.
 *
 * A remote host that accepts a connection and stays silent blocks the opening thread as long as it
 * exists: libvirt watches connections only once they are open, and before that only the kernel
 * does, if it is asked to.  Nothing is to be gained there by a second try at once, so only few
 * wait, and more only as time goes by: for the host may be well again, and one that was left not
 * hear of it before long. */
#include "links.h"

#include "connection.h"
#include "each.h"
#include "tcp_keepalive.h"
#include "virt.h"

/* Connections that may be waited for: at once, all in all, and how long after
 * the first of them it may be one more. */
#define DIALS_FIRST 2
#define DIALS_MAX 4
#define DIALS_EVERY (60 * MC_SECOND)

mc_time links_time_left(const struct mc_ctx *ctx)
{
	const struct virt *self = ctx->self;
	mc_time left = self->begun + ctx->interval * 9 / 10 - mc_now();

	return left > ctx->interval / 20 ? left : ctx->interval / 20;
}

static mc_time at_most(mc_time time, mc_time limit)
{
	return time < limit ? time : limit;
}

mc_time links_patience(const struct mc_ctx *ctx)
{
	return at_most(ctx->interval / 4, links_time_left(ctx));
}

mc_time links_until(const struct mc_ctx *ctx)
{
	return mc_now() + links_patience(ctx) * 3 / 4;
}

static unsigned dialing_of(struct link *const *links, unsigned links_len)
{
	unsigned len = 0;

	for (unsigned i = 0; i < links_len; i++)
		len += links[i] != NULL && connection_dials(links[i]);
	return len;
}

unsigned links_dialing(const struct virt *self)
{
	return dialing_of(self->links, VIRT_LINKS_MAX) +
	       dialing_of(self->each_links, VIRT_EACH_LINKS_MAX) +
	       dialing_of(self->probe_links, VIRT_PROBE_LINKS_MAX) +
	       dialing_of(&self->events.link, 1);
}

bool links_may_call(struct virt *self, const struct link *link)
{
	mc_time now = mc_now();
	unsigned len;

	if (connection_busy(link))
		return false;
	if (connection_open(link))
		return true;
	len = links_dialing(self);
	if (len == 0)
		self->dialed = now;
	else
		tcp_keepalive_asking(self->connection);
	return len < DIALS_MAX && len < DIALS_FIRST + (now - self->dialed) / DIALS_EVERY;
}

static struct link *find_link(struct virt *self, struct link **links, unsigned links_len,
			      bool writes)
{
	for (unsigned i = 0; i < links_len; i++) {
		if (links[i] == NULL)
			links[i] = connection_new(self->connection, writes);
		if (links_may_call(self, links[i]))
			return links[i];
	}
	return NULL;
}

static mc_time cpu_of(struct link *const *links, unsigned links_len)
{
	mc_time cpu = 0;

	for (unsigned i = 0; i < links_len; i++)
		if (links[i] != NULL)
			cpu += connection_cpu(links[i]);
	return cpu;
}

mc_time links_cpu(const struct virt *self)
{
	return cpu_of(self->links, VIRT_LINKS_MAX) + cpu_of(self->each_links, VIRT_EACH_LINKS_MAX) +
	       cpu_of(self->probe_links, VIRT_PROBE_LINKS_MAX) + cpu_of(&self->events.link, 1);
}

struct link *links_for_all(struct virt *self)
{
	return find_link(self, self->links, VIRT_LINKS_MAX, false);
}

struct link *links_for_each(struct virt *self)
{
	return find_link(self, self->each_links, VIRT_EACH_LINKS_MAX,
			 (self->extra & EACH_WRITES) != 0);
}

struct link *links_for_probe(struct virt *self)
{
	return find_link(self, self->probe_links, VIRT_PROBE_LINKS_MAX, false);
}

static void drop_idle(struct mc_ctx *ctx, struct link **links, unsigned links_len, unsigned kept)
{
	for (unsigned i = 0; i < links_len; i++) {
		struct link *link = links[i];

		if (link == NULL || connection_busy(link))
			continue;
		if (kept > 0) {
			kept--;
			continue;
		}
		links[i] = NULL;
		connection_free(ctx, link);
	}
}

void links_drop_idle(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	drop_idle(ctx, self->links, VIRT_LINKS_MAX, 1);
	drop_idle(ctx, self->each_links, VIRT_EACH_LINKS_MAX, 1);
	if (self->held_len == 0)
		drop_idle(ctx, self->probe_links, VIRT_PROBE_LINKS_MAX, 0);
}
