/* SPDX-License-Identifier: MIT */
/* @name@:
 * takes values by TCP, lines of a name and a number, and answers each with "ok" or
 * the error of the line.  With a certificate it speaks TLS.  One thread serves all
 * clients; each has a quota, by its address.
 */
#include <collector/plugin.h>

#include <string.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/kit/listen_options.h>
#include <collector/kit/stream_server.h>
#include <collector/kit/tls_stream.h>
#include <collector/quota.h>
#include <collector/scan.h>
#include <collector/serve.h>

struct client {
	struct mc_stream_served base; /* First. */
	struct mc_quota *quota;
};

struct state {
	const char *address, *port;
	const char *certificate, *key, *ca;
	bool tls12;
	int64_t clients_max, clients_per_address;
	struct mc_quota_limits limits; /* Of a client. */

	struct mc_tls_server tls;
	struct mc_loop loop;
	struct mc_stream_server streams;
	struct mc_stream_listener listeners[MC_ADDRESSES_MAX];
	struct mc_listen_sockets sockets;
};

/* --- The protocol --------------------------------------------------------- */

/* "NAME NUMBER": the reply. */
static const char *take_value(struct client *client, struct mc_ctx *ctx, char *line)
{
	char *blank = strchr(line, ' ');
	const char *at = blank != NULL ? blank + 1 : line;
	struct mc_batch *batch;
	struct mc_series *series;
	double number;

	if (blank == NULL || blank == line || !mc_scan_decimal(&at, &number) || *at != '\0')
		return "a line is a name and a number\n";
	*blank = '\0';
	batch = mc_begin(ctx);
	mc_charge(batch, client->quota);
	series = mc_series(batch, MC_ID(.type = "gauge", .type_instance = line));
	mc_gauge(batch, series, number);
	mc_commit(batch);
	return series != NULL ? "ok\n" : "that cannot be a name, or you have too many\n";
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	(void)size;
	mc_stream_add_text(stream,
			   take_value((struct client *)stream, stream->room->loop->ctx, line));
}

static bool forget_client(struct mc_stream *stream)
{
	mc_quota_free(((struct client *)stream)->quota);
	return true;
}

static const struct mc_stream_kind kind = {
	.take = mc_stream_take_lines,
	.line = take_line,
	.closed = forget_client,
	.farewells = {
		[MC_STREAM_LONG] = "a line has up to 256 bytes\n",
		[MC_STREAM_SLOW] = "the rest of the line is late\n",
		[MC_STREAM_FULL] = "too many clients\n",
		[MC_STREAM_EVICTED] = "too many clients, and you were idle\n",
	},
	.rest_size_max = 256,
	.out_size_max = 65536,
	.rest_max = 10 * MC_SECOND,
	.unread_max = 30 * MC_SECOND,
	.handshake_max = 10 * MC_SECOND,
};

/* --- Life ----------------------------------------------------------------- */

static bool begin_client(struct mc_stream_served *served)
{
	struct client *client = (struct client *)served;
	struct mc_ctx *ctx = served->stream.room->loop->ctx;
	struct state *self = ctx->self;
	struct sockaddr_storage address;
	char name[MC_ADDRESS_TEXT_SIZE];

	mc_stream_server_address(served, &address);
	client->quota = mc_quota_new(ctx, MC_QUOTA_CLIENT, mc_address_client(&address, name),
				     &self->limits);
	return mc_tls_server_begin(&self->tls, &served->stream);
}

static int listen_all(struct state *self, struct mc_ctx *ctx)
{
	const struct mc_listen how = { .type = SOCK_STREAM, .both_families = true };
	int rc = mc_listen_host(ctx, self->address, self->port, &how, &self->sockets);

	for (unsigned i = 0; rc == 0 && i < self->sockets.len; i++) {
		self->listeners[i].kind = &kind;
		rc = mc_stream_server_listen(&self->streams, &self->listeners[i],
					     self->sockets.items[i].fd);
		if (rc < 0)
			rc = mc_fail(ctx, -rc, "cannot watch a socket");
	}
	return rc;
}

/* At a reload, too: for clients that come from then on. */
static int renew(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	const struct mc_tls_files files = {
		.certificate = self->certificate,
		.key = self->key,
		.ca = self->ca,
		.verify = self->ca != NULL,
		.tls13 = !self->tls12,
	};

	return mc_tls_server_renew(&self->tls, ctx, &files);
}

static int start(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc = renew(ctx);

	if (rc < 0)
		return rc;
	self->loop.ctx = self->streams.ctx = ctx;
	self->streams.room.loop = &self->loop;
	self->streams.client_size = sizeof(struct client);
	self->streams.clients_max = self->clients_max;
	self->streams.address_max = self->clients_per_address;
	self->streams.idle_min = MC_SECOND;
	self->streams.begin = begin_client;
	mc_stream_server_init(&self->streams);
	rc = mc_loop_init(&self->loop);
	return rc == 0 ? listen_all(self, ctx) : rc;
}

static int run(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc = mc_loop_run(&self->loop);

	mc_stream_server_close_clients(&self->streams);
	return rc;
}

/* Also after a start() that failed. */
static void stop(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	mc_stream_server_done(&self->streams);
	mc_loop_done(&self->loop);
	while (self->sockets.len > 0)
		close(self->sockets.items[--self->sockets.len].fd);
	mc_tls_server_free(&self->tls);
}

/* Before anything is started. */
static void check(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	mc_check_listen(ctx, &self->address, &self->port, SOCK_STREAM);
	mc_tls_server_check(ctx, &self->certificate, &self->key, &self->ca);
	if (self->certificate == NULL)
		mc_check_open(ctx, &self->address);
}

static const struct mc_option options[] = {
	{ .name = "Address",
	  MC_OPT_STRING(struct state, address),
	  .default_value = "127.0.0.1",
	  .help = "Address to listen at; \"::\" for all." },
	{ .name = "Port",
	  MC_OPT_STRING(struct state, port),
	  .default_value = "2103",
	  .help = "Port to listen at." },
	{ .name = "MaxClients",
	  MC_OPT_INT(struct state, clients_max),
	  .default_value = "64",
	  .help = "Largest number of clients; a further one replaces the one that has been "
		  "idle longest.",
	  .min = 1,
	  .max = 65536 },
	MC_CLIENTS_PER_ADDRESS_OPTION(struct state, clients_per_address, "16"),
	MC_QUOTA_CLIENT_OPTIONS(struct state, limits, "1000", "100"),
	MC_TLS_SERVER_OPTIONS(struct state, certificate, key, ca),
	MC_TLS12_OPTION(struct state, tls12),
	{ 0 },
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Takes values by TCP.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.check = check,
	.start = start,
	.run = run,
	.renew = renew,
	.stop = stop,
};
