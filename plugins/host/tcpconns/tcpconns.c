/* SPDX-License-Identifier: MIT */
/* tcpconns: how many TCP connections there are in each state, by port.
 *
 * The ports that listen are asked for first, so that the connections of each of them are counted
 * from the first read on, in whatever order the kernel has them.
 */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

#define PORTS_LEN 65536

static const char *const states[DUMP_STATES] = {
	[TCP_ESTABLISHED] = "ESTABLISHED",
	[TCP_SYN_SENT] = "SYN_SENT",
	[TCP_SYN_RECV] = "SYN_RECV",
	[TCP_FIN_WAIT1] = "FIN_WAIT1",
	[TCP_FIN_WAIT2] = "FIN_WAIT2",
	[TCP_TIME_WAIT] = "TIME_WAIT",
	[TCP_CLOSE] = "CLOSED",
	[TCP_CLOSE_WAIT] = "CLOSE_WAIT",
	[TCP_LAST_ACK] = "LAST_ACK",
	[TCP_LISTEN] = "LISTEN",
	[TCP_CLOSING] = "CLOSING",
};

/* As collectd takes a boolean, and "auto" when none is given. */
static const char *const listening_words[] = { "auto",  "true", "yes", "on",
					       "false", "no",   "off", NULL };

struct tally { /* Of the connections of one port, or of all. */
	char name[sizeof("65535-remote")];
	uint16_t port;
	bool asked_for; /* By an option; else it is there while it listens. */
	bool listens;
	uint32_t counts[DUMP_STATES];
	struct mc_series *held[DUMP_STATES]; /* NULL: not asked for yet. */
};

struct side { /* Ports of this side of the connections. */
	struct tally **tallies;
	size_t len, size;
	uint16_t *index; /* Of a port, plus one; NULL: no port is counted. */
};

struct tcpconns {
	struct mc_ints local_ports, remote_ports;
	int listening_word;
	bool summary, listening, ignore;
	struct mc_select *names; /* Of states. */
	int64_t max_ports;
	uint32_t mask; /* Of the states that are reported. */
	struct dump dump;
	struct side local, remote;
	struct tally all;
	size_t refused; /* Ports beyond MaxPorts, in this read. */
};

static struct tally *find(const struct side *side, uint16_t port)
{
	uint16_t index = side->index != NULL ? side->index[port] : 0;

	return index != 0 ? side->tallies[index - 1] : NULL;
}

static struct tally *add(struct side *side, uint16_t port, const char *name)
{
	struct tally *tally = mc_alloc_zero(sizeof(*tally));

	if (side->index == NULL)
		side->index = mc_alloc_zero(PORTS_LEN * sizeof(*side->index));
	MC_ARRAY_GROW(side->tallies, side->len, side->size);
	side->tallies[side->len++] = tally;
	side->index[port] = (uint16_t)side->len;
	tally->port = port;
	snprintf(tally->name, sizeof(tally->name), "%u-%s", port, name);
	return tally;
}

static void release(struct tally *tally)
{
	for (size_t i = 0; i < DUMP_STATES; i++)
		mc_release(tally->held[i]);
}

/* The last one takes its place. */
static void drop(struct side *side, struct tally *tally)
{
	uint16_t index = side->index[tally->port];
	struct tally *last = side->tallies[--side->len];

	side->tallies[index - 1] = last;
	side->index[last->port] = index;
	side->index[tally->port] = 0;
	release(tally);
	free(tally);
}

static void done(struct side *side)
{
	while (side->len > 0)
		drop(side, side->tallies[side->len - 1]);
	free(side->tallies);
	free(side->index);
}

/* --- One read ------------------------------------------------------------- */

static void reset(struct side *side)
{
	for (size_t i = 0; i < side->len; i++) {
		side->tallies[i]->listens = false;
		memset(side->tallies[i]->counts, 0, sizeof(side->tallies[i]->counts));
	}
}

static void visit_listener(void *argument, const struct dump_connection *found)
{
	struct tcpconns *self = argument;
	struct tally *tally = find(&self->local, found->local_port);

	if (tally == NULL && self->local.len >= (size_t)self->max_ports) {
		self->refused++;
		return;
	}
	if (tally == NULL)
		tally = add(&self->local, found->local_port, "local");
	tally->listens = true;
}

static void visit(void *argument, const struct dump_connection *found)
{
	struct tcpconns *self = argument;
	struct tally *tally;

	self->all.counts[found->state]++;
	tally = find(&self->local, found->local_port);
	if (tally != NULL)
		tally->counts[found->state]++;
	tally = find(&self->remote, found->remote_port);
	if (tally != NULL)
		tally->counts[found->state]++;
}

static void report(const struct tcpconns *self, struct mc_batch *out, struct tally *tally)
{
	for (size_t i = 1; i < DUMP_STATES; i++) {
		struct mc_id id = MC_ID(.plugin_instance = tally->name, .type = "tcp_connections",
					.type_instance = states[i]);

		if ((self->mask & 1U << i) == 0)
			continue;
		if (tally->held[i] == NULL)
			tally->held[i] = mc_hold(mc_series(out, id));
		mc_gauge(out, tally->held[i], tally->counts[i]);
	}
}

static void report_side(const struct tcpconns *self, struct mc_batch *out, struct side *side)
{
	for (size_t i = 0; i < side->len; i++)
		report(self, out, side->tallies[i]);
}

static int tcpconns_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct tcpconns *self = ctx->self;
	int rc = 0;

	reset(&self->local);
	reset(&self->remote);
	memset(self->all.counts, 0, sizeof(self->all.counts));
	self->refused = 0;
	if (self->listening)
		rc = dump_run(&self->dump, 1U << TCP_LISTEN, visit_listener, self);
	if (rc == 0)
		rc = dump_run(&self->dump, self->mask, visit, self);
	if (rc != 0)
		return mc_fail(ctx, -rc, "cannot list TCP connections");

	for (size_t i = self->local.len; i-- > 0;) {
		struct tally *tally = self->local.tallies[i];

		if (!tally->listens && !tally->asked_for)
			drop(&self->local, tally);
	}
	if (self->summary)
		report(self, out, &self->all);
	report_side(self, out, &self->local);
	report_side(self, out, &self->remote);
	if (self->refused > 0)
		return mc_fail(ctx, 0, "sockets listen at more ports than MaxPorts %lld",
			       (long long)self->max_ports);
	return 0;
}

/* --- Start and stop ------------------------------------------------------- */

static uint32_t mask_of(const struct tcpconns *self)
{
	uint32_t mask = 0;

	for (size_t i = 1; i < DUMP_STATES; i++)
		if (mc_selected(self->names, self->ignore, states[i]))
			mask |= 1U << i;
	return mask;
}

static void tcpconns_check(struct mc_ctx *ctx)
{
	const struct tcpconns *self = ctx->self;

	if (mask_of(self) == 0)
		mc_check_error(ctx, &self->names, "selects no state of connections");
}

static void add_all(struct side *side, const struct mc_ints *ports, const char *name)
{
	for (size_t i = 0; i < ports->len; i++) {
		uint16_t port = (uint16_t)ports->items[i];

		if (find(side, port) == NULL)
			add(side, port, name)->asked_for = true;
	}
}

static int tcpconns_start(struct mc_ctx *ctx)
{
	struct tcpconns *self = ctx->self;

	self->mask = mask_of(self);
	self->listening = self->listening_word == 0
				  ? self->local_ports.len == 0 && self->remote_ports.len == 0
				  : self->listening_word <= 3;
	add_all(&self->local, &self->local_ports, "local");
	add_all(&self->remote, &self->remote_ports, "remote");
	snprintf(self->all.name, sizeof(self->all.name), "all");
	return 0;
}

static void tcpconns_stop(struct mc_ctx *ctx)
{
	struct tcpconns *self = ctx->self;

	done(&self->local);
	done(&self->remote);
	release(&self->all);
	dump_done(&self->dump);
}

static const struct mc_option options[] = {
	{ .name = "ListeningPorts",
	  MC_OPT_WORD(struct tcpconns, listening_word),
	  .words = listening_words,
	  .default_value = "auto",
	  .help = "Counts the connections of each port that a socket listens "
		  "at; auto does so if no port is given.",
	  .sample = "true" },
	{ .name = "LocalPort",
	  MC_OPT_INTS(struct tcpconns, local_ports),
	  .min = 1,
	  .max = PORTS_LEN - 1,
	  .help = "Counts the connections of this port of this host.",
	  .sample = "22" },
	{ .name = "RemotePort",
	  MC_OPT_INTS(struct tcpconns, remote_ports),
	  .min = 1,
	  .max = PORTS_LEN - 1,
	  .help = "Counts the connections to this port of other hosts.",
	  .sample = "25" },
	{ .name = "AllPortsSummary",
	  MC_OPT_BOOL(struct tcpconns, summary),
	  .default_value = "false",
	  .help = "Counts the connections of all ports together." },
	{ .name = "State",
	  MC_OPT_SELECT(struct tcpconns, names),
	  .help = "Selects a state of connections by name or /regex/.",
	  .sample = "TIME_WAIT" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct tcpconns, ignore),
	  .default_value = "false",
	  .help = "Reports all states but the selected ones.",
	  .sample = "true" },
	{ .name = "MaxPorts",
	  MC_OPT_INT(struct tcpconns, max_ports),
	  .min = 1,
	  .max = PORTS_LEN - 1,
	  .default_value = "1000",
	  .help = "Ports of this host that are counted at most." },
	{ 0 }
};

MC_PLUGIN(tcpconns) = {
	MC_NAMED(tcpconns),
	.help = "Counts TCP connections by port and state.",
	.self_size = sizeof(struct tcpconns),
	.options = options,
	.types = (const char *const[]){ "tcp_connections", NULL },
	.check = tcpconns_check,
	.start = tcpconns_start,
	.read = tcpconns_read,
	.stop = tcpconns_stop,
	.lenient = true,
};
