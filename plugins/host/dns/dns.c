/* SPDX-License-Identifier: MIT */
/* dns: queries and replies of DNS on the wire (collectd.conf(5), "Plugin dns"). */
#include <collector/check.h>
#include <collector/kit/loop.h>
#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "message.h"
#include "names.h"

#define TYPES_MAX 256 /* Different types of queries; further ones are not counted. */
#define TURN_MAX 4096 /* Packets, before timers have their turn. */

struct type_count {
	uint16_t type;
	uint64_t queries;
};

struct dns {
	const char *interface;
	struct mc_strings ignored;
	bool numeric;

	struct mc_loop loop;
	struct mc_loop_file socket; /* Its descriptor is -1 while it is closed. */
	struct mc_loop_timer turn;
	struct mc_every every;
	struct mc_once trouble;

	uint64_t query_octets, reply_octets;
	struct type_count types[TYPES_MAX];
	size_t types_len;
	uint64_t opcodes[16], rcodes[16];
};

/* --- Packets ----------------------------------------------------------------------- */

/* Addresses of either kind, IPv4 as ::ffff:a.b.c.d. */
static bool parse_address(const char *text, struct in6_addr *address)
{
	memset(address, 0, sizeof(*address));
	address->s6_addr[10] = address->s6_addr[11] = 0xff;
	return inet_pton(AF_INET, text, address->s6_addr + 12) == 1 ||
	       inet_pton(AF_INET6, text, address) == 1;
}

static bool is_ignored(const struct dns *self, const struct in6_addr *source)
{
	struct in6_addr address;

	for (size_t i = 0; i < self->ignored.len; i++)
		if (parse_address(self->ignored.items[i], &address) &&
		    memcmp(&address, source, sizeof(address)) == 0)
			return true;
	return false;
}

static void count_type(struct dns *self, uint16_t type)
{
	size_t i = 0;

	if (!self->numeric && !names_has_type(type))
		return;
	while (i < self->types_len && self->types[i].type != type)
		i++;
	if (i == TYPES_MAX)
		return;
	if (i == self->types_len)
		self->types[self->types_len++] = (struct type_count){ .type = type };
	self->types[i].queries++;
}

static void count(struct dns *self, const struct message *message)
{
	self->opcodes[message->opcode]++;
	if (message->is_reply) {
		self->reply_octets += message->size;
		self->rcodes[message->rcode]++;
	} else {
		self->query_octets += message->size;
		count_type(self, message->type);
	}
}

static void close_socket(struct dns *self)
{
	if (self->socket.fd < 0)
		return;
	mc_loop_forget(&self->loop, &self->socket);
	close(self->socket.fd);
	self->socket.fd = -1;
}

static void complain(struct dns *self, int error)
{
	mc_complain(self->loop.ctx, &self->trouble, error, "cannot capture packets of '%s'",
		    self->interface != NULL ? self->interface : "any");
}

static void on_packets(void *argument, uint32_t events)
{
	struct dns *self = argument;
	uint8_t packet[CAPTURE_SIZE];
	struct message message;

	(void)events;
	for (unsigned i = 0; i < TURN_MAX; i++) {
		ssize_t size = capture_next(self->socket.fd, packet);

		if (size == -EAGAIN)
			return;
		if (size < 0) { /* Such as the end of an interface. */
			complain(self, (int)-size);
			close_socket(self);
			return;
		}
		if (size > 0 && message_read(packet, (size_t)size, &message) &&
		    !is_ignored(self, &message.source))
			count(self, &message);
	}
}

static void open_socket(struct dns *self)
{
	int fd = capture_open(self->interface);

	if (fd >= 0) {
		self->socket = (struct mc_loop_file){
			.fd = fd,
			.ready = on_packets,
			.argument = self,
		};
		fd = mc_loop_watch(&self->loop, &self->socket, EPOLLIN);
	}
	if (fd == 0)
		mc_works(self->loop.ctx, &self->trouble, "packets of '%s' are captured",
			 self->interface != NULL ? self->interface : "any");
	else
		complain(self, -fd);
	if (fd < 0)
		close_socket(self);
}

/* --- Values -------------------------------------------------------------------------- */

static void put_count(struct mc_batch *out, const char *type, const char *name, uint64_t number)
{
	mc_put_derive(out, (int64_t)number, .type = type, .type_instance = name);
}

/* Counts of 0 are not reported. */
static void put_all(const struct dns *self, struct mc_batch *out)
{
	const union mc_value octets[] = { { .derive = (int64_t)self->query_octets },
					  { .derive = (int64_t)self->reply_octets } };
	char name[NAMES_SIZE];

	if (self->query_octets + self->reply_octets > 0)
		mc_put(out, mc_series(out, MC_ID(.type = "dns_octets")), octets, 2);
	for (size_t i = 0; i < self->types_len; i++) {
		names_type(self->types[i].type, name);
		put_count(out, "dns_qtype", name, self->types[i].queries);
	}
	for (unsigned i = 0; i < 16; i++) {
		names_opcode(i, name);
		if (self->opcodes[i] > 0)
			put_count(out, "dns_opcode", name, self->opcodes[i]);
		names_rcode(i, name);
		if (self->rcodes[i] > 0)
			put_count(out, "dns_rcode", name, self->rcodes[i]);
	}
}

static void on_turn(void *argument)
{
	struct dns *self = argument;
	struct mc_batch *batch;

	mc_every_done(&self->every, self->loop.now);
	mc_loop_set_timer(&self->loop, &self->turn, self->every.next);
	if (self->socket.fd < 0)
		open_socket(self);
	batch = mc_begin(self->loop.ctx);
	put_all(self, batch);
	mc_commit(batch);
}

/* --- Life ------------------------------------------------------------------------------ */

static void dns_check(struct mc_ctx *ctx)
{
	const struct dns *self = ctx->self;
	struct in6_addr address;

	for (size_t i = 0; i < self->ignored.len; i++)
		if (!parse_address(self->ignored.items[i], &address))
			mc_check_error(ctx, &self->ignored.items[i], "is not an address");
	mc_check_capabilities(ctx, &self->interface, "CAP_NET_RAW");
}

static int dns_start(struct mc_ctx *ctx)
{
	struct dns *self = ctx->self;

	if (self->interface != NULL && strcmp(self->interface, "any") == 0)
		self->interface = NULL;
	self->socket.fd = -1;
	self->loop.ctx = ctx;
	self->every.period = ctx->interval;
	self->turn.expired = on_turn;
	self->turn.argument = self;
	return mc_loop_init(&self->loop);
}

static int dns_run(struct mc_ctx *ctx)
{
	struct dns *self = ctx->self;
	int rc;

	mc_loop_set_timer(&self->loop, &self->turn, mc_now());
	rc = mc_loop_run(&self->loop);
	close_socket(self);
	return rc;
}

static void dns_stop(struct mc_ctx *ctx)
{
	struct dns *self = ctx->self;

	mc_loop_done(&self->loop);
}

static const struct mc_option options[] = {
	{ .name = "Interface",
	  MC_OPT_STRING(struct dns, interface),
	  .default_value = "any",
	  .help = "Network interface whose packets are looked at; \"any\": those of all." },
	{ .name = "IgnoreSource",
	  MC_OPT_STRINGS(struct dns, ignored),
	  .sample = "192.0.2.1",
	  .help = "Address whose packets do not count." },
	{ .name = "SelectNumericQueryTypes",
	  MC_OPT_BOOL(struct dns, numeric),
	  .default_value = "true",
	  .help = "Counts queries of types without a name, too: \"#65\"." },
	{ 0 }
};

MC_PLUGIN(dns) = {
	MC_NAMED(dns),
	.help = "Counts queries and replies of DNS on the wire.",
	.self_size = sizeof(struct dns),
	.options = options,
	.types = (const char *const[]){ "dns_octets", "dns_opcode", "dns_qtype", "dns_rcode",
					NULL },
	.check = dns_check,
	.start = dns_start,
	.run = dns_run,
	.stop = dns_stop,
	.lenient = true,
};
