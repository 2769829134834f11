/* SPDX-License-Identifier: MIT */
/* ping - how long other hosts take to answer, and how often they do not.
 * Options and their defaults as in collectd.conf(5), "Plugin ping".
 *
 * The thread of run() sends to one host after the other, each once an Interval,
 * and takes replies as they come; read() reports. */
#include <collector/check.h>
#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/kit/timed_call.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight.h"
#include "socket.h"
#include "target.h"

#define SOURCE_LIMIT (3 * MC_SECOND) /* Of looking SourceAddress up. */
#define RECEIVED_MAX 256             /* Replies, before requests have their turn. */

enum { V4, V6, SOCKETS };

struct ping {
	struct mc_strings hosts;
	mc_time interval, timeout;
	int64_t ttl, size, max_missed;
	const char *source, *device;
	int family;

	struct target *targets;
	unsigned targets_len;
	struct socket sockets[SOCKETS];
	struct flights flights;
	unsigned turn;    /* The target that is next, ... */
	mc_time turn_due; /* ... and when. */
};

/* --- Options -------------------------------------------------------------- */

static const char *const families[] = { "any", "ipv4", "ipv6", NULL };

static const struct mc_option ping_options[] = {
	{ "Host", MC_OPT_STRINGS(struct ping, hosts), .required = true,
	  .help = "Name or address of a host to ping; several are allowed.",
	  .sample = "127.0.0.1" },
	{ "Interval", MC_OPT_TIME(struct ping, interval), .default_value = "1",
	  .help = "Seconds between two requests to a host.", .min = 0.01, .max = 86400,
	  .lenient = true },
	{ "Timeout", MC_OPT_TIME(struct ping, timeout), .default_value = "0.9",
	  .help = "Seconds that a reply may take.", .min = 0.001, .max = 86400, .lenient = true },
	{ "TTL", MC_OPT_INT(struct ping, ttl), .default_value = "255",
	  .help = "Number of routers that requests may pass.", .min = 1, .max = 255,
	  .lenient = true },
	{ "Size", MC_OPT_INT(struct ping, size), .default_value = "56",
	  .help = "Bytes of data in a request.", .max = ECHO_DATA_MAX, .lenient = true },
	{ "SourceAddress", MC_OPT_STRING(struct ping, source),
	  .help = "Address of this host that requests are sent from.", .sample = "192.0.2.1" },
	{ "AddressFamily", MC_OPT_WORD(struct ping, family), .default_value = "any",
	  .words = families,
	  .help = "Kind of addresses that names are looked up for; without "
		  "effect beside SourceAddress." },
	{ "Device", MC_OPT_STRING(struct ping, device),
	  .help = "Network interface that requests leave by.", .sample = "eth0" },
	{ "MaxMissed", MC_OPT_INT(struct ping, max_missed), .default_value = "-1",
	  .help = "Missing replies in a row after which the name is looked up "
		  "again; -1: never.",
	  .min = -1, .max = 1e9 },
	{ 0 },
};

/* How many requests can wait for replies. */
static double waiting_max(const struct ping *self)
{
	return (double)self->hosts.len * ((double)self->timeout / (double)self->interval + 2);
}

/* Datagram sockets depend on the group. */
static void check_rights(struct mc_ctx *ctx, const struct ping *self)
{
	int v4 = socket_may_open(AF_INET), v6 = socket_may_open(AF_INET6);

	if (v4 == 0 || v6 == 0)
		return;
	if (mc_check_capabilities(ctx, &self->hosts.items[0], "CAP_NET_RAW") && v4 < 0 && v6 < 0)
		mc_check_warn(ctx, &self->hosts.items[0],
			      "cannot be pinged by this user: that needs "
			      "CAP_NET_RAW, or its group in "
			      "net.ipv4.ping_group_range");
}

static void ping_check(struct mc_ctx *ctx)
{
	const struct ping *self = ctx->self;

	mc_check_interface(ctx, &self->device);
	if (waiting_max(self) > FLIGHT_MAX)
		mc_check_error(ctx, &self->timeout, "is too long: more than %d requests could wait",
			       FLIGHT_MAX);
	if (mc_check_host(ctx))
		check_rights(ctx, self);
}

/* --- Start ---------------------------------------------------------------- */

struct source {
	struct mc_addresses list;
	char name[]; /* As SourceAddress has it. */
};

static int find_source_now(void *argument)
{
	struct source *source = argument;

	return mc_address_find(source->name, NULL, SOCK_DGRAM, 0, &source->list);
}

/* A resolver that hangs must not hold up the start. */
static int find_source(struct ping *self, struct mc_ctx *ctx, struct sockaddr_storage *address)
{
	size_t size = strlen(self->source) + 1;
	struct source *source = mc_alloc_zero(sizeof(*source) + size);
	int rc;

	memcpy(source->name, self->source, size);
	rc = mc_timed_call(ctx, SOURCE_LIMIT, find_source_now, source);
	if (rc == -ETIMEDOUT)
		return mc_fail(ctx, 0, "cannot find SourceAddress '%s' in time", self->source);
	if (rc == 0)
		*address = source->list.items[0];
	free(source);
	if (rc != 0)
		return mc_fail(ctx, 0, "cannot find SourceAddress '%s': %s", self->source,
			       gai_strerror(rc));
	return 0;
}

/* No socket for families that this host, or the options, exclude. */
static int open_sockets(struct ping *self, struct mc_ctx *ctx, const struct socket_options *options,
			int family)
{
	static const int all[SOCKETS] = { AF_INET, AF_INET6 };
	int rc = 0, opened = 0;

	for (unsigned i = 0; i < SOCKETS; i++) {
		int one;

		if (family != AF_UNSPEC && family != all[i])
			continue;
		one = socket_open(&self->sockets[i], all[i], options);
		opened += one == 0;
		rc = one < 0 ? one : rc;
	}
	if (opened > 0)
		return 0;
	if (rc == -EACCES || rc == -EPERM)
		return mc_fail(ctx, -rc,
			       "cannot ping: that needs CAP_NET_RAW, or the "
			       "group of the collector in "
			       "net.ipv4.ping_group_range");
	return mc_fail(ctx, -rc, "cannot ping");
}

static int ping_start(struct mc_ctx *ctx)
{
	static const int wanted[] = { AF_UNSPEC, AF_INET, AF_INET6 };
	struct ping *self = ctx->self;
	struct sockaddr_storage source;
	struct socket_options options = {
		.device = self->device,
		.ttl = (int)self->ttl,
		.data_size = (size_t)self->size,
	};
	int family = wanted[self->family], rc;

	for (unsigned i = 0; i < SOCKETS; i++)
		self->sockets[i].fd = -1;
	self->targets = mc_alloc_array(self->hosts.len, sizeof(*self->targets));
	if (self->source != NULL) {
		rc = find_source(self, ctx, &source);
		if (rc < 0)
			return rc;
		options.source = &source;
		family = source.ss_family;
	}
	for (; self->targets_len < self->hosts.len; self->targets_len++)
		target_init(&self->targets[self->targets_len], self->hosts.items[self->targets_len],
			    family);
	flight_init(&self->flights, (unsigned)waiting_max(self), self->timeout);
	return open_sockets(self, ctx, &options, family);
}

/* --- Requests and replies ------------------------------------------------- */

static struct socket *socket_of(struct ping *self, int family)
{
	return &self->sockets[family == AF_INET6 ? V6 : V4];
}

static bool fits(void *argument, int family)
{
	return (family == AF_INET || family == AF_INET6) && socket_of(argument, family)->fd >= 0;
}

static void send_to(struct ping *self, struct mc_ctx *ctx, unsigned number)
{
	struct target *target = &self->targets[number];
	uint16_t sequence;
	mc_time now;
	int rc;

	target_find(target, fits, self);
	if (target->address.ss_family == AF_UNSPEC)
		return;
	now = mc_now();
	if (!flight_start(&self->flights, now, number, &sequence))
		return;
	rc = socket_send(socket_of(self, target->address.ss_family), &target->address, sequence);
	if (rc == 0) {
		mc_works(ctx, &target->sending, "can send to '%s' again", target->host);
		return;
	}
	mc_complain(ctx, &target->sending, -rc, "cannot send to '%s'", target->host);
	flight_end(&self->flights, flight_find(&self->flights, sequence), now);
	target_missed(target, self->max_missed);
}

/* Hosts are spread over the interval. */
static void send_due(struct ping *self, struct mc_ctx *ctx)
{
	mc_time now = mc_now();
	mc_time step = self->interval / self->targets_len;

	/* After a long sleep of the machine nothing is made up for. */
	if (now - self->turn_due > self->interval)
		self->turn_due = now;
	while (self->turn_due <= now) {
		send_to(self, ctx, self->turn);
		self->turn = (self->turn + 1) % self->targets_len;
		self->turn_due += step;
	}
}

static void receive(struct ping *self, struct socket *socket)
{
	struct socket_reply reply;

	for (int i = 0; i < RECEIVED_MAX && socket_receive(socket, &reply); i++) {
		mc_time arrived = mc_now() - reply.waited;
		struct flight *flight = flight_find(&self->flights, reply.sequence);
		struct target *target;

		if (flight == NULL)
			continue;
		target = &self->targets[flight->target];
		if (arrived < flight->sent)
			arrived = flight->sent;
		if (target_is(target, &reply.sender) && flight_end(&self->flights, flight, arrived))
			target_received(target, arrived - flight->sent);
	}
}

static void expire(struct ping *self)
{
	unsigned number;

	while (flight_expire(&self->flights, mc_now(), &number))
		target_missed(&self->targets[number], self->max_missed);
}

static int ping_run(struct mc_ctx *ctx)
{
	struct ping *self = ctx->self;
	struct pollfd fds[SOCKETS];
	int rc = 0;

	for (unsigned i = 0; i < SOCKETS; i++) /* poll(2) passes over -1. */
		fds[i] = (struct pollfd){ .fd = self->sockets[i].fd, .events = POLLIN };
	self->turn_due = mc_now();
	while (rc >= 0) {
		mc_time due = flight_due(&self->flights);

		if (self->turn_due < due)
			due = self->turn_due;
		rc = mc_wait(ctx, fds, SOCKETS, due);
		for (unsigned i = 0; i < SOCKETS && rc > 0; i++)
			if (fds[i].revents != 0)
				receive(self, &self->sockets[i]);
		if (rc < 0)
			break;
		expire(self);
		send_due(self, ctx);
	}
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
}

/* --- Values --------------------------------------------------------------- */

/* A host without an address makes nobody else late: -EAGAIN. */
static int ping_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct ping *self = ctx->self;
	const char *host = NULL;
	unsigned others = 0;
	char more[48] = "";
	int error = 0;

	for (unsigned i = 0; i < self->targets_len; i++) {
		int rc = target_report(&self->targets[i], out);

		if (rc == 0)
			continue;
		if (host != NULL) {
			others++;
			continue;
		}
		host = self->targets[i].host;
		error = rc;
	}
	if (host == NULL)
		return 0;
	if (others > 0)
		snprintf(more, sizeof(more), " (and %u other hosts)", others);
	return mc_fail(ctx, EAGAIN, "cannot find '%s'%s: %s", host, more,
		       error == EAI_INPROGRESS ? "no answer yet" : gai_strerror(error));
}

static void ping_stop(struct mc_ctx *ctx)
{
	struct ping *self = ctx->self;

	for (unsigned i = 0; i < self->targets_len; i++)
		target_done(&self->targets[i]);
	self->targets_len = 0;
	free(self->targets);
	self->targets = NULL;
	flight_done(&self->flights);
	for (unsigned i = 0; i < SOCKETS; i++)
		socket_close(&self->sockets[i]);
}

MC_PLUGIN(ping) = {
	MC_NAMED(ping),
	.help = "Measures how long other hosts take to answer, and how often "
		"they do not.",
	.self_size = sizeof(struct ping),
	.options = ping_options,
	.types = (const char *const[]){ "ping", "ping_droprate", "ping_stddev", NULL },
	.check = ping_check,
	.start = ping_start,
	.read = ping_read,
	.run = ping_run,
	.stop = ping_stop,
	.lenient = true,
};
