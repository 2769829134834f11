/* SPDX-License-Identifier: MIT */
/* Clients are in a list in order of their activity, so that the first is the one that makes way. */
#include <collector/kit/stream_server.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/address.h>

#include "kit/net/accept.h"
#include "kit/net/stream/stream_internal.h"

struct mc_stream_server_address {
	struct mc_map_node node;
	unsigned len; /* Clients. */
	unsigned char key[sizeof(struct in6_addr)];
};

/* --- The list ------------------------------------------------------------- */

static void link_newest(struct mc_stream_server *server, struct mc_stream_served *client)
{
	client->older = server->newest;
	client->newer = NULL;
	if (server->newest != NULL)
		server->newest->newer = client;
	else
		server->oldest = client;
	server->newest = client;
}

static void take_out(struct mc_stream_server *server, struct mc_stream_served *client)
{
	if (client->older != NULL)
		client->older->newer = client->newer;
	else
		server->oldest = client->newer;
	if (client->newer != NULL)
		client->newer->older = client->older;
	else
		server->newest = client->older;
}

/* --- Addresses ------------------------------------------------------------ */

static bool has_address(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET || address->ss_family == AF_INET6;
}

static struct mc_stream_server_address *find_address(const struct mc_stream_server *server,
						     const struct sockaddr_storage *address)
{
	const void *bytes;
	size_t size;

	if (!has_address(address))
		return NULL;
	bytes = mc_address_client_bytes(address, &size);
	return (struct mc_stream_server_address *)mc_map_find(&server->addresses, bytes, size);
}

static void enter_address(struct mc_stream_server *server, struct mc_stream_served *client,
			  const struct sockaddr_storage *address)
{
	struct mc_stream_server_address *from = find_address(server, address);
	const void *bytes;
	size_t size;

	if (!has_address(address))
		return;
	memcpy(&client->address, address, sizeof(client->address));
	if (from == NULL) {
		bytes = mc_address_client_bytes(address, &size);
		from = mc_alloc_zero(sizeof(*from));
		memcpy(from->key, bytes, size);
		from->node.key = from->key;
		from->node.key_size = size;
		mc_map_add(&server->addresses, &from->node);
	}
	from->len++;
	client->from = from;
}

static void leave_address(struct mc_stream_server *server, struct mc_stream_served *client)
{
	if (client->from == NULL || --client->from->len > 0)
		return;
	mc_map_remove(&server->addresses, &client->from->node);
	free(client->from);
}

void mc_stream_server_address(const struct mc_stream_served *client, struct sockaddr_storage *out)
{
	*out = (struct sockaddr_storage){ .ss_family = AF_UNSPEC };
	memcpy(out, &client->address, sizeof(client->address));
}

/* --- Refusals ------------------------------------------------------------- */

static void refuse(struct mc_stream_server *server, unsigned reason,
		   const struct mc_refused *refused)
{
	if (server->refusals != NULL && reason != 0)
		mc_refuse(server->refusals, server->ctx, reason, refused);
}

void mc_stream_server_refuse(struct mc_stream_served *client, unsigned reason, const char *what,
			     const char *text)
{
	struct sockaddr_storage address;

	mc_stream_server_address(client, &address);
	refuse(client->listener->server, reason,
	       &(struct mc_refused){
		       .what = what,
		       .text = text,
		       .size = text != NULL ? strlen(text) : 0,
		       .sender = has_address(&address) ? &address : NULL,
	       });
}

static void on_fault(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	mc_stream_server_refuse((struct mc_stream_served *)stream, stream->kind->reasons[fault],
				stream->over ? "a connection" : "data",
				fault == MC_STREAM_EVICTED ? "it was idle" : why);
}

/* Before it is a stream: what it gets to read goes out without TLS. */
static void turn_away(struct mc_stream_listener *listener, int fd, enum mc_stream_fault fault,
		      const struct sockaddr_storage *address)
{
	const char *farewell = listener->kind->farewells[fault];

	refuse(listener->server, listener->kind->reasons[fault],
	       &(struct mc_refused){
		       .what = "a connection",
		       .sender = has_address(address) ? address : NULL,
	       });
	if (farewell != NULL)
		send(fd, farewell, strlen(farewell), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(fd);
}

/* --- Making way ----------------------------------------------------------- */

static bool has_sent(const struct mc_stream *stream)
{
	char byte;

	return recv(stream->file.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* 'is_first': for the first client of an address. */
static bool evict_one(struct mc_stream_server *server, bool is_first)
{
	struct mc_stream_served *client = server->oldest;

	for (; client != NULL; client = client->newer) {
		mc_time idle = server->room.loop->now - client->stream.active;
		bool is_one_of_many = client->from != NULL && client->from->len > 1;

		if (mc_stream_is_at_work(&client->stream))
			continue;
		if (idle < server->idle_min && !is_first)
			return false;
		if ((idle < server->idle_min && !is_one_of_many) || has_sent(&client->stream))
			continue;
		mc_stream_fail(&client->stream, MC_STREAM_EVICTED, NULL);
		return true;
	}
	return false;
}

/* --- Streams -------------------------------------------------------------- */

static void on_active(struct mc_stream *stream)
{
	struct mc_stream_served *client = (struct mc_stream_served *)stream;

	take_out(client->listener->server, client);
	link_newest(client->listener->server, client);
}

static void on_closed(struct mc_stream *stream)
{
	struct mc_stream_served *client = (struct mc_stream_served *)stream;
	struct mc_stream_server *server = client->listener->server;

	take_out(server, client);
	leave_address(server, client);
	server->len--;
}

static void on_release(struct mc_stream *stream)
{
	free(stream);
}

static const struct mc_stream_calls calls = {
	.active = on_active,
	.fault = on_fault,
	.closed = on_closed,
	.release = on_release,
};

/* --- Accepting ------------------------------------------------------------ */

static bool may_connect(struct mc_stream_server *server, const struct sockaddr_storage *address,
			enum mc_stream_fault *fault)
{
	const struct mc_stream_server_address *from = find_address(server, address);

	*fault = MC_STREAM_FORBIDDEN;
	if (server->admit != NULL && !server->admit(server, address))
		return false;
	*fault = MC_STREAM_FULL;
	if (server->address_max > 0 && from != NULL && (int64_t)from->len >= server->address_max)
		return false;
	return (int64_t)server->len < server->clients_max ||
	       evict_one(server, has_address(address) && from == NULL);
}

static void add_client(void *argument, int fd)
{
	struct mc_stream_listener *listener = argument;
	struct mc_stream_server *server = listener->server;
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof(address);
	struct mc_stream_served *client;
	enum mc_stream_fault fault;

	if (getpeername(fd, (struct sockaddr *)&address, &size) != 0) {
		close(fd);
		return;
	}
	if (!may_connect(server, &address, &fault)) {
		turn_away(listener, fd, fault, &address);
		return;
	}
	client = mc_alloc_zero(server->client_size);
	client->listener = listener;
	mc_stream_init(&client->stream, listener->kind, &server->room, fd);
	enter_address(server, client, &address);
	link_newest(server, client);
	server->len++;
	if (server->begin != NULL && !server->begin(client))
		mc_stream_close(&client->stream);
	else
		mc_stream_open(&client->stream);
}

static bool make_room(void *argument)
{
	return evict_one(((const struct mc_stream_listener *)argument)->server, false);
}

static void on_connect(void *argument, uint32_t events)
{
	struct mc_stream_listener *listener = argument;
	const struct mc_stream_server *server = listener->server;
	const struct mc_accept_calls accept_calls = { add_client, make_room, listener };
	struct mc_loop *loop = server->room.loop;

	(void)events;
	if (mc_accept_some(&listener->accept, server->ctx, loop->now, &accept_calls))
		return;
	mc_loop_watch(loop, &listener->file, 0);
	mc_loop_set_timer(loop, &listener->pause, loop->now + MC_ACCEPT_PAUSE);
}

static void on_pause_over(void *argument)
{
	struct mc_stream_listener *listener = argument;

	mc_accept_resumes(&listener->accept, listener->server->room.loop->now);
	mc_loop_watch(listener->server->room.loop, &listener->file, EPOLLIN);
}

/* --- Life ----------------------------------------------------------------- */

void mc_stream_server_init(struct mc_stream_server *server)
{
	server->room.calls = &calls;
	mc_stream_room_init(&server->room);
}

int mc_stream_server_listen(struct mc_stream_server *server, struct mc_stream_listener *listener,
			    int fd)
{
	listener->server = server;
	listener->accept = (struct mc_accept){ .listener = fd, .asks = listener->asks };
	listener->file = (struct mc_loop_file){
		.fd = fd,
		.ready = on_connect,
		.argument = listener,
	};
	listener->pause = (struct mc_loop_timer){
		.expired = on_pause_over,
		.argument = listener,
	};
	return mc_loop_watch(server->room.loop, &listener->file, EPOLLIN);
}

void mc_stream_server_close_clients(struct mc_stream_server *server)
{
	while (server->oldest != NULL)
		mc_stream_close(&server->oldest->stream);
}

void mc_stream_server_done(struct mc_stream_server *server)
{
	mc_stream_server_close_clients(server);
	mc_map_done(&server->addresses);
	mc_stream_room_done(&server->room);
}
