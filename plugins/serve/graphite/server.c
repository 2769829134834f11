/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define EVENTS_MAX 64
#define DATAGRAM_SIZE 65535 /* No datagram is longer. */
#define ROUNDS_MAX 16       /* Of one UDP socket, before others. */
#define LOOK_INTERVAL MC_SECOND
#define REST_TIMEOUT (60 * MC_SECOND)      /* For the rest of a line or pickle. */
#define HANDSHAKE_TIMEOUT (10 * MC_SECOND) /* As other servers have. */
#define IDLE_MIN (60 * MC_SECOND)          /* Before it makes way for another. */

/* --- Clients -------------------------------------------------------------- */

static void close_client(struct server *server, struct client *client)
{
	mc_clients_close(&server->clients, &client->node);
	server->refused.clients = server->clients.len;
	client->sender->clients--;
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, client->stream.fd, NULL);
	mc_tls_stream_close(&client->stream);
	client_done(client, &server->room);
}

static void close_all(struct server *server)
{
	while (server->clients.oldest != NULL)
		close_client(server, (struct client *)server->clients.oldest);
}

static bool free_one(struct mc_client *client)
{
	free(client);
	return true;
}

/* Closes the client that has been idle longest, for a while at least. */
static bool evict_one(struct server *server)
{
	struct mc_client *client = server->clients.oldest;

	if (client == NULL || server->now - client->active < IDLE_MIN)
		return false;
	close_client(server, (struct client *)client);
	return true;
}

static void on_client(struct server *server, struct client *client)
{
	mc_time active = client->node.active;

	if (client->stream.fd < 0)
		return;
	if (client_receive(client, &server->room,
			   (enum protocol)client->listener->options->protocol, &server->intake,
			   server->now) == CLIENT_IS_OVER) {
		close_client(server, client);
	} else if (client->node.active != active) {
		mc_clients_use(&server->clients, &client->node);
	}
}

/* --- New clients ---------------------------------------------------------- */

static void refuse_client(struct server *server, const struct sockaddr_storage *address, int fd)
{
	mc_refuse(&server->refused.refusals, server->ctx, REFUSED_CLIENT,
		  &(struct mc_refused){ .what = "a connection", .sender = address });
	close(fd);
}

/* False: there is no memory. */
static bool begin_tls(struct client *client)
{
	const struct mc_tls_start how = {
		.tls = mc_tls_latest(&client->listener->tls),
		.as_server = true,
	};

	client->shaking = how.tls != NULL;
	return how.tls == NULL || mc_tls_stream_start(&client->stream, &how) == 0;
}

static void add_client(struct server *server, struct listener *listener, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sockaddr_storage address = { 0 };
	socklen_t size = sizeof(address);
	struct client *client;
	struct sender *sender;
	int yes = 1;

	if (getpeername(fd, (struct sockaddr *)&address, &size) != 0) {
		close(fd);
		return;
	}
	sender = sender_find(&server->senders, &address);
	if (sender->clients >= server->options->clients_per_address ||
	    ((int64_t)server->clients.len >= server->options->clients_max && !evict_one(server))) {
		refuse_client(server, &address, fd);
		return;
	}
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	client = mc_alloc_zero(sizeof(*client));
	event.data.ptr = client;
	*client = (struct client){ .node.active = server->now,
				   .listener = listener,
				   .sender = sender,
				   .address = address };
	mc_tls_stream_init(&client->stream, fd);
	if (!begin_tls(client) || epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		mc_tls_stream_close(&client->stream);
		free(client);
		return;
	}
	sender->clients++;
	mc_clients_add(&server->clients, &client->node);
	server->refused.clients = server->clients.len;
}

static void watch_listener(struct server *server, struct listener *listener, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = listener };

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, listener->accept.listener, &event);
}

struct taking { /* The argument of mc_accept_calls. */
	struct server *server;
	struct listener *listener;
};

static void take_in(void *argument, int fd)
{
	const struct taking *taking = argument;

	add_client(taking->server, taking->listener, fd);
}

static bool make_room(void *argument)
{
	return evict_one(((const struct taking *)argument)->server);
}

static void on_connect(struct server *server, struct listener *listener)
{
	struct taking taking = { server, listener };
	const struct mc_accept_calls calls = { take_in, make_room, &taking };

	if (!mc_accept_some(&listener->accept, server->ctx, server->now, &calls))
		watch_listener(server, listener, false);
}

/* --- Datagrams ------------------------------------------------------------ */

static void take_datagram(struct server *server, const struct listener *listener,
			  const struct mc_datagram *datagram)
{
	struct intake *intake = &server->intake;

	intake_from(intake, sender_find(&server->senders, datagram->sender), datagram->sender);
	intake_lines(intake, (enum protocol)listener->options->protocol, datagram->bytes,
		     datagram->size, true);
	atomic_fetch_add(&server->refused.octets, datagram->size);
	if (datagram->cut)
		intake_refuse(intake, REFUSED_CUT);
}

static void on_datagrams(struct server *server, const struct listener *listener)
{
	int len = MC_DATAGRAMS_MAX;

	for (int i = 0; i < ROUNDS_MAX && len == MC_DATAGRAMS_MAX; i++) {
		len = mc_datagrams_receive(server->datagrams, listener->accept.listener);
		for (int j = 0; j < len; j++) {
			struct mc_datagram datagram = mc_datagrams_get(server->datagrams, j);

			take_datagram(server, listener, &datagram);
		}
	}
}

/* --- The loop ------------------------------------------------------------- */

static void look_at_drops(struct server *server, struct listener *listener)
{
	uint32_t dropped;

	if (!listener->udp)
		return;
	dropped = mc_datagrams_dropped(listener->accept.listener);
	if (dropped != listener->dropped)
		mc_refuse_dropped(&server->refused.refusals, server->ctx, REFUSED_DROPPED,
				  dropped - listener->dropped);
	listener->dropped = dropped;
}

static bool is_late(const struct client *client, mc_time quiet)
{
	return client->shaking || (quiet >= REST_TIMEOUT && client_waited_for(client));
}

static void look_at_clients(struct server *server)
{
	struct mc_client *node = server->clients.oldest, *next;

	for (; node != NULL; node = next) {
		struct client *client = (struct client *)node;

		next = node->newer;
		if (server->now - node->active < HANDSHAKE_TIMEOUT)
			return;
		if (!is_late(client, server->now - node->active))
			continue;
		mc_refuse(
			&server->refused.refusals, server->ctx, REFUSED_SLOW,
			&(struct mc_refused){ .what = "a connection", .sender = &client->address });
		close_client(server, client);
	}
}

/* Periodic tasks; no batch is open. */
static void look(struct server *server)
{
	if (server->now < server->look_at)
		return;
	server->look_at = server->now + LOOK_INTERVAL;
	for (size_t i = 0; i < server->listeners_len; i++) {
		struct listener *listener = &server->listeners[i];

		look_at_drops(server, listener);
		if (mc_accept_resumes(&listener->accept, server->now))
			watch_listener(server, listener, true);
	}
	look_at_clients(server);
	sender_sweep(&server->senders);
	mc_paths_sweep(server->intake.paths);
}

/* False when the instance must stop. */
static bool one_round(struct server *server)
{
	struct epoll_event events[EVENTS_MAX];
	int len = epoll_wait(server->epoll, events, EVENTS_MAX,
			     (int)(LOOK_INTERVAL / MC_MILLISECOND));
	bool goes_on = true;

	server->now = mc_now();
	for (int i = 0; i < len; i++) {
		void *mark = events[i].data.ptr;
		struct listener *listener = mark;

		if (mark == server)
			goes_on = false;
		else if (listener < server->listeners ||
			 listener >= server->listeners + SERVER_LISTENERS_MAX)
			on_client(server, mark);
		else if (listener->udp)
			on_datagrams(server, listener);
		else
			on_connect(server, listener);
	}
	intake_commit(&server->intake);
	return goes_on;
}

static int watch(struct server *server, int fd, void *mark)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = mark };

	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		return mc_fail(server->ctx, errno, "cannot watch a socket");
	return 0;
}

int server_run(struct server *server)
{
	int rc = watch(server, mc_stop_fd(server->ctx), server);

	if (rc < 0)
		return rc;
	while (one_round(server)) {
		mc_clients_free_closed(&server->clients, free_one);
		look(server);
	}
	close_all(server);
	mc_clients_free_closed(&server->clients, free_one);
	return 0;
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
	int rc = mc_tls_try(server->ctx, &files);
	char why[MC_TLS_WHY];

	if (rc < 0 || options->certificate == NULL || mc_tls_renew(&listener->tls, &files, why))
		return rc;
	return mc_fail(server->ctx, 0, "%s", why);
}

int server_renew(struct server *server)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < server->listeners_len; i++)
		rc = renew_tls(server, &server->listeners[i]);
	return rc;
}

/* --- Life ----------------------------------------------------------------- */

int server_start(struct server *server, struct mc_ctx *ctx, const struct server_options *options)
{
	int rc = 0;

	server->ctx = ctx;
	server->options = options;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		return mc_fail(ctx, errno, "cannot make an epoll descriptor");
	server->room = (struct client_room){
		.chunk = mc_alloc(CLIENT_CHUNK + LINE_SIZE_MAX),
		.frame_max = (size_t)options->frame_max,
		.kept_max = (size_t)options->memory_max,
	};
	sender_init(&server->senders, ctx, &options->limits);
	server->datagrams = mc_datagrams_new(DATAGRAM_SIZE);
	server->intake.ctx = ctx;
	refused_init(&server->refused);
	server->intake.refused = &server->refused;
	server->intake.pickle = pickle_new();
	server->intake.paths = mc_paths_new(ctx, &options->paths, &rc);
	return rc;
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
	if (udp)
		mc_datagrams_set_buffer(socket->fd, (int)server->options->receive_buffer);
	*listener =
		(struct listener){ .accept.listener = socket->fd, .options = options, .udp = udp };
	server->listeners_len++;
	rc = renew_tls(server, listener);
	if (rc < 0)
		return rc;
	mc_log(server->ctx, MC_NOTE, "listens at %s (%s)", mc_address_text(&socket->address, text),
	       udp                            ? "UDP"
	       : options->certificate != NULL ? "TLS"
					      : "TCP");
	return watch(server, socket->fd, listener);
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
	for (size_t i = 0; i < server->listeners_len; i++) {
		struct listener *listener = &server->listeners[i];

		close(listener->accept.listener);
		mc_tls_server_free(&listener->tls);
	}
	if (server->epoll >= 0)
		close(server->epoll);
	intake_done(&server->intake);
	sender_done(&server->senders);
	mc_datagrams_free(server->datagrams);
	free(server->room.chunk);
	*server = (struct server){ .ctx = NULL };
}
