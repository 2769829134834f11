/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <unistd.h>

#define DATAGRAM_SIZE 65535 /* No datagram is longer. */
#define ROUNDS_MAX 16       /* Of one UDP socket, before others. */
#define LOOK_INTERVAL MC_SECOND
#define IDLE_MIN (60 * MC_SECOND) /* Before it makes way for another. */

/* --- Datagrams ------------------------------------------------------------ */

static void take_datagram(struct server *server, const struct listener *listener,
			  const struct mc_datagram *datagram)
{
	struct intake *intake = &server->intake;

	intake_from(intake, sender_find(&server->senders, datagram->sender), datagram->sender);
	intake_lines(intake, listener->owner.protocol, datagram->bytes, datagram->size, true);
	atomic_fetch_add(&server->refused.octets, datagram->size);
	if (datagram->cut)
		intake_refuse(intake, REFUSED_CUT);
}

static void on_datagrams(void *argument, uint32_t events)
{
	const struct listener *listener = argument;
	struct server *server = listener->server;
	int len = MC_DATAGRAMS_MAX;

	(void)events;
	for (int i = 0; i < ROUNDS_MAX && len == MC_DATAGRAMS_MAX; i++) {
		len = mc_datagrams_receive(server->datagrams, listener->fd);
		for (int j = 0; j < len; j++) {
			struct mc_datagram datagram = mc_datagrams_get(server->datagrams, j);

			take_datagram(server, listener, &datagram);
		}
	}
}

static void look_at_drops(struct server *server, struct listener *listener)
{
	uint32_t dropped;

	if (!listener->udp)
		return;
	dropped = mc_datagrams_dropped(listener->fd);
	if (dropped != listener->dropped)
		mc_refuse_dropped(&server->refused.refusals, server->ctx, REFUSED_DROPPED,
				  dropped - listener->dropped);
	listener->dropped = dropped;
}

/* --- The loop ------------------------------------------------------------- */

static void after_round(void *argument)
{
	intake_commit(&((struct server *)argument)->intake);
}

/* Chores, now and then. */
static void on_look(void *argument)
{
	struct server *server = argument;

	/* No batch may have what is forgotten. */
	intake_commit(&server->intake);
	for (size_t i = 0; i < server->listeners_len; i++)
		look_at_drops(server, &server->listeners[i]);
	sender_sweep(&server->senders);
	mc_paths_sweep(server->intake.paths);
	mc_loop_set_timer(&server->loop, &server->look, server->loop.now + LOOK_INTERVAL);
}

int server_run(struct server *server)
{
	int rc;

	mc_loop_set_timer(&server->loop, &server->look, mc_now());
	rc = mc_loop_run(&server->loop);
	mc_stream_server_close_clients(&server->streams);
	return rc;
}

/* --- TLS ------------------------------------------------------------------ */

/* Reads the files of certificates, for new connections. */
static int renew_tls(struct server *server, struct listener *listener)
{
	const struct listen_options *options = listener->options;
	const struct mc_tls_files files = {
		.certificate = options->certificate,
		.key = options->key,
		.ca = options->ca,
		.verify = options->ca != NULL,
		.tls13 = !options->tls12,
	};

	return mc_tls_server_renew(&listener->tls, server->ctx, &files);
}

int server_renew(struct server *server)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < server->listeners_len; i++)
		rc = renew_tls(server, &server->listeners[i]);
	return rc;
}

/* --- Life ----------------------------------------------------------------- */

static void set_up_streams(struct server *server)
{
	const struct server_options *options = server->options;

	for (int i = 0; i < SERVER_KINDS; i++)
		server->kinds[i] = client_kind((enum protocol)i, (size_t)options->frame_max);
	server->streams.ctx = server->ctx;
	server->streams.room.loop = &server->loop;
	server->streams.room.kept_max = (size_t)options->memory_max;
	server->streams.client_size = sizeof(struct client);
	server->streams.clients_max = options->clients_max;
	server->streams.address_max = options->clients_per_address;
	server->streams.idle_min = IDLE_MIN;
	server->streams.refusals = &server->refused.refusals;
	server->streams.begin = client_begin;
	mc_stream_server_init(&server->streams);
}

int server_start(struct server *server, struct mc_ctx *ctx, const struct server_options *options)
{
	int rc;

	server->ctx = server->loop.ctx = ctx;
	server->options = options;
	server->loop.after_round = after_round;
	server->loop.argument = server;
	server->look.expired = on_look;
	server->look.argument = server;
	sender_init(&server->senders, ctx, &options->limits);
	server->datagrams = mc_datagrams_new(DATAGRAM_SIZE);
	server->intake.ctx = ctx;
	refused_init(&server->refused);
	server->intake.refused = &server->refused;
	server->intake.pickle = pickle_new();
	set_up_streams(server);
	rc = mc_loop_init(&server->loop);
	if (rc == 0)
		server->intake.paths = mc_paths_new(ctx, &options->paths, &rc);
	return rc;
}

/* 0, or a negative errno. */
static int watch(struct server *server, struct listener *listener)
{
	if (!listener->udp) {
		listener->streams.kind = &server->kinds[listener->owner.protocol];
		listener->streams.argument = &listener->owner;
		listener->streams.tls = listener->options->certificate != NULL;
		return mc_stream_server_listen(&server->streams, &listener->streams, listener->fd);
	}
	mc_datagrams_set_buffer(listener->fd, (int)server->options->receive_buffer);
	listener->datagrams = (struct mc_loop_file){
		.fd = listener->fd,
		.ready = on_datagrams,
		.argument = listener,
	};
	return mc_loop_watch(&server->loop, &listener->datagrams, EPOLLIN);
}

static int add_listener(struct server *server, const struct listen_options *options,
			const struct mc_listen_socket *socket, bool udp)
{
	struct listener *listener = &server->listeners[server->listeners_len];
	char text[MC_ADDRESS_TEXT_SIZE];
	int rc;

	if (server->listeners_len == SERVER_LISTENERS_MAX) {
		close(socket->fd);
		return mc_fail(server->ctx, 0, "more than %d sockets", SERVER_LISTENERS_MAX);
	}
	*listener = (struct listener){
		.server = server, .fd = socket->fd, .options = options, .udp = udp
	};
	listener->owner = (struct client_owner){
		.intake = &server->intake,
		.senders = &server->senders,
		.protocol = (enum protocol)options->protocol,
		.tls = &listener->tls,
	};
	server->listeners_len++;
	rc = renew_tls(server, listener);
	if (rc < 0)
		return rc;
	mc_log(server->ctx, MC_NOTE, "listens at %s (%s)", mc_address_text(&socket->address, text),
	       udp                            ? "UDP"
	       : options->certificate != NULL ? "TLS"
					      : "TCP");
	rc = watch(server, listener);
	return rc == 0 ? 0 : mc_fail(server->ctx, -rc, "cannot watch a socket");
}

static int listen_at(struct server *server, const struct listen_options *options, bool udp)
{
	const struct mc_listen how = {
		.type = udp ? SOCK_DGRAM : SOCK_STREAM,
		.both_families = true,
	};
	struct mc_listen_sockets sockets;
	int rc = mc_listen_host(server->ctx, options->host, options->port, &how, &sockets);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < sockets.len; i++)
		if (rc == 0)
			rc = add_listener(server, options, &sockets.items[i], udp);
		else
			close(sockets.items[i].fd);
	return rc;
}

int server_listen(struct server *server, const struct listen_options *options)
{
	int rc = listen_at(server, options, false);

	if (rc == 0 && server_takes_datagrams(options))
		rc = listen_at(server, options, true);
	return rc;
}

void server_stop(struct server *server)
{
	if (server->ctx == NULL)
		return;
	mc_stream_server_done(&server->streams);
	mc_loop_done(&server->loop);
	for (size_t i = 0; i < server->listeners_len; i++) {
		close(server->listeners[i].fd);
		mc_tls_server_free(&server->listeners[i].tls);
	}
	intake_done(&server->intake);
	sender_done(&server->senders);
	mc_datagrams_free(server->datagrams);
	*server = (struct server){ .ctx = NULL };
}
