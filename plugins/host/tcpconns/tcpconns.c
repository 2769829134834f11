/* SPDX-License-Identifier: MIT */
/* tcpconns: how many TCP connections there are in each state, by port.
 *
 * The ports that listen are asked for first, so that the connections of each of them are counted
 * from the first read on, in whatever order the kernel has them.  The kernel has them in a small
 * table; all else is in a large one, which is asked only if something can have changed.
 */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "ports.h"
#include "still.h"

#define PORTS_LEN 65536
#define LISTENING (1U << TCP_LISTEN)

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
	void *program;  /* Of ports; NULL: all connections are wanted. */
	size_t program_size;
	bool added;    /* A port whose connections have not been counted yet. */
	bool timed;    /* A connection waits for a timer, which no segment shows. */
	uint64_t seen; /* What still_sum() said before the last walk; 0: nothing. */
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

static void reset_tally(struct tally *tally, uint32_t mask)
{
	for (size_t i = 0; i < DUMP_STATES; i++)
		if (mask >> i & 1)
			tally->counts[i] = 0;
}

static void reset_side(struct side *side, uint32_t mask)
{
	for (size_t i = 0; i < side->len; i++)
		reset_tally(side->tallies[i], mask);
}

/* Forgets the counts of these states. */
static void reset(struct tcpconns *self, uint32_t mask)
{
	reset_tally(&self->all, mask);
	reset_side(&self->local, mask);
	reset_side(&self->remote, mask);
}

static void visit_listener(void *argument, const struct dump_connection *found)
{
	struct tcpconns *self = argument;
	struct tally *tally = find(&self->local, found->local_port);

	self->all.counts[TCP_LISTEN]++;
	if (tally == NULL && self->listening) {
		if (self->local.len >= (size_t)self->max_ports) {
			self->refused++;
			return;
		}
		tally = add(&self->local, found->local_port, "local");
		self->added = true;
	}
	if (tally == NULL)
		return;
	tally->counts[TCP_LISTEN]++;
	tally->listens = true;
}

/* States that end by themselves; TIME_WAIT does, too, but those are in the sum. */
#define TIMED                                                                                      \
	(1U << TCP_SYN_SENT | 1U << TCP_SYN_RECV | 1U << TCP_FIN_WAIT1 | 1U << TCP_FIN_WAIT2 |     \
	 1U << TCP_LAST_ACK | 1U << TCP_CLOSING)

static void visit(void *argument, const struct dump_connection *found)
{
	struct tcpconns *self = argument;
	struct tally *tally;

	if (TIMED >> found->state & 1)
		self->timed = true;
	self->all.counts[found->state]++;
	tally = find(&self->local, found->local_port);
	if (tally != NULL)
		tally->counts[found->state]++;
	tally = find(&self->remote, found->remote_port);
	if (tally != NULL)
		tally->counts[found->state]++;
}

static int count_listeners(struct tcpconns *self)
{
	for (size_t i = 0; i < self->local.len; i++)
		self->local.tallies[i]->listens = false;
	reset(self, LISTENING);
	self->refused = 0;
	self->dump.program = NULL;
	self->dump.program_size = 0;
	if (!self->listening && (self->mask & LISTENING) == 0)
		return 0;
	return dump_run(&self->dump, LISTENING, visit_listener, self);
}

/* A text of /proc/net/, whole; "" if it is not there. */
static char *read_text(struct mc_ctx *ctx, const char *path)
{
	char *text;

	return mc_is_there(ctx, path) && mc_read_file(ctx, path, &text) > 0 ? mc_alloc_copy(text)
									    : mc_alloc_copy("");
}

static uint64_t look(struct mc_ctx *ctx)
{
	char *snmp = read_text(ctx, "/proc/net/snmp"),
	     *sockstat = read_text(ctx, "/proc/net/sockstat"),
	     *sockstat6 = read_text(ctx, "/proc/net/sockstat6");
	uint64_t sum = still_sum(snmp, sockstat, sockstat6);

	free(snmp);
	free(sockstat);
	free(sockstat6);
	return sum;
}

/* The sum is older than the counts, so a change meanwhile is found at the next read. */
static int count_others(struct mc_ctx *ctx, struct tcpconns *self)
{
	uint32_t mask = self->mask & ~LISTENING;
	uint64_t sum = look(ctx);
	int rc;

	if (mask == 0 || (sum != 0 && sum == self->seen && !self->timed && !self->added))
		return 0;
	reset(self, mask);
	self->seen = 0;
	self->timed = false;
	self->dump.program = self->program;
	self->dump.program_size = self->program_size;
	rc = dump_run(&self->dump, mask, visit, self);
	if (rc != 0)
		return rc;
	self->seen = sum;
	self->added = false;
	return 0;
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
	int rc = count_listeners(self);

	if (rc == 0)
		rc = count_others(ctx, self);
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
	if (!self->listening && !self->summary)
		self->program =
			ports_program(&self->local_ports, &self->remote_ports, &self->program_size);
	return 0;
}

static void tcpconns_stop(struct mc_ctx *ctx)
{
	struct tcpconns *self = ctx->self;

	done(&self->local);
	done(&self->remote);
	release(&self->all);
	dump_done(&self->dump);
	free(self->program);
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
	  .lenient = true,
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
