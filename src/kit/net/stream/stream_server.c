/* SPDX-License-Identifier: MIT */
/* Sockets and streams; which of them stay says kit/net/admission/admission.h. */
#include <collector/kit/stream_server.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/address.h>

#include "kit/net/accept.h"
#include "kit/net/admission/admission.h"
#include "kit/net/stream/stream_internal.h"

/* --- Clients -------------------------------------------------------------- */

static bool has_address(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET || address->ss_family == AF_INET6;
}

static void link_first(struct mc_stream_server *server, struct mc_stream_served *client)
{
	client->next = server->first;
	if (client->next != NULL)
		client->next->previous = client;
	server->first = client;
	server->len++;
}

static void take_out(struct mc_stream_server *server, struct mc_stream_served *client)
{
	if (client->next != NULL)
		client->next->previous = client->previous;
	if (client->previous != NULL)
		client->previous->next = client->next;
	else
		server->first = client->next;
	server->len--;
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

static struct mc_stream_served *client_of(const struct mc_admitted *admitted)
{
	return (struct mc_stream_served *)((uintptr_t)admitted -
					   offsetof(struct mc_stream_served, admitted));
}

static bool has_sent(const struct mc_stream *stream)
{
	char byte;

	return recv(stream->file.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static bool is_idle(const struct mc_admitted *admitted)
{
	const struct mc_stream *stream = &client_of(admitted)->stream;

	return !mc_stream_is_at_work(stream) && !has_sent(stream);
}

static bool make_way(struct mc_stream_server *server, const struct sockaddr_storage *address)
{
	struct mc_admitted *admitted = admission_make_way(server->admission, address);

	if (admitted != NULL)
		mc_stream_fail(&client_of(admitted)->stream, MC_STREAM_EVICTED, NULL);
	return admitted != NULL;
}

/* --- Streams -------------------------------------------------------------- */

static void on_active(struct mc_stream *stream)
{
	admission_active(&((struct mc_stream_served *)stream)->admitted, stream->active);
}

static void on_brought(struct mc_stream *stream)
{
	struct mc_stream_served *client = (struct mc_stream_served *)stream;

	admission_serves(client->listener->server->admission, &client->admitted);
}

static void on_closed(struct mc_stream *stream)
{
	struct mc_stream_served *client = (struct mc_stream_served *)stream;
	struct mc_stream_server *server = client->listener->server;

	take_out(server, client);
	admission_leave(server->admission, &client->admitted);
}

static void on_release(struct mc_stream *stream)
{
	free(stream);
}

static const struct mc_stream_calls calls = {
	.active = on_active,
	.brought = on_brought,
	.fault = on_fault,
	.closed = on_closed,
	.release = on_release,
};

/* --- Accepting ------------------------------------------------------------ */

static bool may_connect(const struct mc_stream_listener *listener,
			const struct sockaddr_storage *address, enum mc_stream_fault *fault)
{
	static const enum mc_stream_fault faults[] = {
		[ADMISSION_FULL] = MC_STREAM_FULL,
		[ADMISSION_SPENT] = MC_STREAM_SPENT,
	};
	struct mc_stream_server *server = listener->server;
	enum admission_verdict verdict;

	*fault = MC_STREAM_FORBIDDEN;
	if (server->admit != NULL && !server->admit(server, address))
		return false;
	verdict = admission_judge(server->admission, address, listener->tls);
	*fault = faults[verdict];
	if (verdict != ADMISSION_WELCOME)
		return false;
	*fault = MC_STREAM_FULL;
	return !admission_is_full(server->admission) || make_way(server, address);
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
	if (!may_connect(listener, &address, &fault)) {
		turn_away(listener, fd, fault, &address);
		return;
	}
	client = mc_alloc_zero(server->client_size);
	client->listener = listener;
	if (has_address(&address))
		memcpy(&client->address, &address, sizeof(client->address));
	mc_stream_init(&client->stream, listener->kind, &server->room, fd);
	admission_enter(server->admission, &client->admitted, &address, listener->tls);
	link_first(server, client);
	if (server->begin != NULL && !server->begin(client))
		mc_stream_close(&client->stream);
	else
		mc_stream_open(&client->stream);
}

static bool make_room(void *argument)
{
	return make_way(((const struct mc_stream_listener *)argument)->server, NULL);
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
	const struct admission_rules rules = {
		.clients_max = (size_t)server->clients_max,
		.address_max = server->address_max,
		.idle_min = server->idle_min,
		.is_idle = is_idle,
	};

	server->room.calls = &calls;
	mc_stream_room_init(&server->room);
	server->admission = admission_new(&rules);
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
	while (server->first != NULL)
		mc_stream_close(&server->first->stream);
}

void mc_stream_server_done(struct mc_stream_server *server)
{
	mc_stream_server_close_clients(server);
	admission_free(server->admission);
	server->admission = NULL;
	mc_stream_room_done(&server->room);
}
