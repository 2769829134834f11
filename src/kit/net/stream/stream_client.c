/* SPDX-License-Identifier: MIT */
/* connect(2) says how a socket that does not block connects. */
#include <collector/kit/stream_client.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#include "kit/net/stream/stream_internal.h"

#define LOOK_AGAIN (20 * MC_MILLISECOND) /* At a look-up that is under way. */
#define NAME_SIZE 200                    /* Of a host, in a reason. */

static mc_time now_of(const struct mc_stream_client *client)
{
	return client->room->loop->now;
}

static void say_why(struct mc_stream_client *client, const char *what, const char *detail)
{
	int size = snprintf(client->why, sizeof(client->why), "%s%s", what, *detail ? ": " : "");

	client->reason = client->why;
	if (*detail == '\0')
		return;
	client->reason += size;
	snprintf(client->why + size, sizeof(client->why) - (size_t)size, "%s", detail);
}

static void forget_addresses(struct mc_stream_client *client)
{
	free(client->found);
	client->found = NULL;
}

/* Gives back what connecting needs. */
static void stop_connecting(struct mc_stream_client *client)
{
	forget_addresses(client);
	mc_lookup_stop(&client->lookup);
	mc_loop_unset_timer(client->room->loop, &client->timer);
	if (client->state == MC_STREAM_CLIENT_CONNECTING) {
		mc_loop_forget(client->room->loop, &client->file);
		close(client->file.fd);
	}
	client->state = MC_STREAM_CLIENT_CLOSED;
}

static void fail(struct mc_stream_client *client, const char *what, const char *detail)
{
	say_why(client, what, detail);
	stop_connecting(client);
	mc_backoff_failed(&client->backoff, now_of(client), 0);
	client->failed(client);
}

/* --- The stream ----------------------------------------------------------- */

static struct mc_stream_client *client_of(struct mc_stream *stream)
{
	return (struct mc_stream_client *)((char *)stream -
					   offsetof(struct mc_stream_client, stream));
}

/* A reason with the limit of the protocol. */
static void say_long(struct mc_stream_client *client)
{
	char text[100];

	snprintf(text, sizeof(text), "a %s is longer than %zu bytes",
		 client->kind->frame != NULL ? "frame" : "line", client->kind->rest_size_max);
	say_why(client, text, "");
}

static void on_fault(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	static const char *const texts[MC_STREAM_FAULTS] = {
		[MC_STREAM_CUT] = "it has ended in the middle of an answer",
		[MC_STREAM_BROKEN] = "the connection is broken",
		[MC_STREAM_SLOW] = "the rest of its answer takes too long",
		[MC_STREAM_IDLE] = "it does not answer in time",
		[MC_STREAM_UNREAD] = "it does not take what is sent",
		[MC_STREAM_MEMORY] = "too much of its answers waits",
		[MC_STREAM_SLOW_HANDSHAKE] = "its handshake of TLS takes too long",
	};
	const char *text = texts[fault] != NULL ? texts[fault] : "";

	if (fault == MC_STREAM_LONG)
		say_long(client_of(stream));
	else if (fault == MC_STREAM_HANDSHAKE)
		say_why(client_of(stream), why, ""); /* It names TLS, or the certificate. */
	else
		say_why(client_of(stream), text, why != NULL ? why : "");
}

static void on_release(struct mc_stream *stream)
{
	struct mc_stream_client *client = client_of(stream);

	/* It was closed in a callback, and may have been opened again since. */
	if (client->state != MC_STREAM_CLIENT_OPEN)
		return;
	client->state = MC_STREAM_CLIENT_CLOSED;
	if (client->why[0] == '\0')
		say_why(client, "it has closed the connection", "");
	mc_backoff_failed(&client->backoff, now_of(client), 0);
	client->failed(client);
}

static const struct mc_stream_calls calls = { .fault = on_fault, .release = on_release };

static void open_stream(struct mc_stream_client *client)
{
	int fd = client->file.fd;

	mc_loop_forget(client->room->loop, &client->file);
	mc_loop_unset_timer(client->room->loop, &client->timer);
	forget_addresses(client);
	client->why[0] = '\0';
	client->state = MC_STREAM_CLIENT_OPEN;
	client->stream = (struct mc_stream){ 0 };
	mc_stream_init(&client->stream, client->kind, client->room, fd);
	if (client->begin != NULL && !client->begin(client))
		mc_stream_close(&client->stream);
	else
		mc_stream_open(&client->stream);
}

/* --- Connecting ----------------------------------------------------------- */

static void on_connected(void *argument, uint32_t events);

/* 0, or a negative errno. */
static int connect_to(struct mc_stream_client *client, const struct sockaddr *address,
		      socklen_t size)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (client->prepare != NULL)
		client->prepare(client, fd);
	client->file = (struct mc_loop_file){
		.fd = fd,
		.ready = on_connected,
		.argument = client,
	};
	/* A unix socket says EAGAIN when too many wait to be accepted. */
	if (connect(fd, address, size) != 0 && errno != EINPROGRESS)
		rc = -errno;
	if (rc == 0)
		rc = mc_loop_watch(client->room->loop, &client->file, EPOLLOUT);
	if (rc == 0)
		client->state = MC_STREAM_CLIENT_CONNECTING;
	else
		close(fd);
	return rc;
}

static int connect_to_file(struct mc_stream_client *client)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(client->host) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, client->host, strlen(client->host));
	return connect_to(client, (const struct sockaddr *)&address, sizeof(address));
}

/* The next address of the name, of those that were not tried in this attempt. */
static int connect_to_next(struct mc_stream_client *client)
{
	const struct mc_addresses *found = client->found;
	int rc = -EADDRNOTAVAIL;

	while (rc != 0 && found != NULL && client->tried < found->len) {
		unsigned next = (client->backoff.failures + client->tried++) % found->len;
		const struct sockaddr_storage *address = &found->items[next];

		rc = connect_to(client, (const struct sockaddr *)address, mc_address_size(address));
	}
	return rc;
}

static void on_connected(void *argument, uint32_t events)
{
	struct mc_stream_client *client = argument;
	socklen_t size = sizeof(int);
	int error = 0;

	(void)events;
	if (getsockopt(client->file.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	if (error == 0) {
		open_stream(client);
		return;
	}
	mc_loop_forget(client->room->loop, &client->file);
	close(client->file.fd);
	client->state = MC_STREAM_CLIENT_LOOKUP;
	if (connect_to_next(client) != 0)
		fail(client, "cannot connect", strerror(error));
}

static void end_connect(struct mc_stream_client *client, int rc)
{
	if (rc != 0)
		fail(client, "cannot connect", strerror(-rc));
	else
		mc_loop_set_timer(client->room->loop, &client->timer, client->deadline);
}

/* --- Looking up ----------------------------------------------------------- */

static void fail_to_find(struct mc_stream_client *client, const char *detail)
{
	char what[sizeof("cannot find ''") + NAME_SIZE];

	snprintf(what, sizeof(what), "cannot find '%.*s'", NAME_SIZE, client->host);
	fail(client, what, detail);
}

static void look(struct mc_stream_client *client)
{
	int rc = mc_lookup_all(&client->lookup, client->found);

	if (rc == EAI_INPROGRESS) {
		mc_loop_set_timer(client->room->loop, &client->timer, now_of(client) + LOOK_AGAIN);
		return;
	}
	if (rc != 0)
		fail_to_find(client, gai_strerror(rc));
	else
		end_connect(client, connect_to_next(client));
}

static void begin(struct mc_stream_client *client)
{
	int rc;

	client->deadline = now_of(client) + client->connect_max;
	if (client->port == NULL) {
		end_connect(client, connect_to_file(client));
		return;
	}
	client->tried = 0;
	client->found = mc_alloc_zero(sizeof(*client->found));
	if (mc_address_find(client->host, client->port, SOCK_STREAM, AI_NUMERICHOST,
			    client->found) == 0) {
		end_connect(client, connect_to_next(client));
		return;
	}
	rc = mc_lookup_start(&client->lookup, client->host, client->port, AF_UNSPEC, SOCK_STREAM);
	if (rc != 0) {
		fail_to_find(client, gai_strerror(rc));
		return;
	}
	client->state = MC_STREAM_CLIENT_LOOKUP;
	look(client);
}

static void on_time(void *argument)
{
	struct mc_stream_client *client = argument;

	if (client->state == MC_STREAM_CLIENT_PAUSED)
		begin(client);
	else if (now_of(client) < client->deadline)
		look(client);
	else if (client->state == MC_STREAM_CLIENT_LOOKUP)
		fail_to_find(client, strerror(ETIMEDOUT));
	else
		fail(client, "cannot connect", strerror(ETIMEDOUT));
}

/* --- Life ----------------------------------------------------------------- */

void mc_stream_client_room_init(struct mc_stream_room *room)
{
	room->calls = &calls;
	mc_stream_room_init(room);
}

void mc_stream_client_open(struct mc_stream_client *client)
{
	mc_time now = now_of(client);

	client->state = MC_STREAM_CLIENT_PAUSED;
	client->timer.expired = on_time;
	client->timer.argument = client;
	mc_loop_set_timer(client->room->loop, &client->timer,
			  now < client->backoff.until ? client->backoff.until : now);
}

void mc_stream_client_works(struct mc_stream_client *client)
{
	mc_backoff_done(&client->backoff);
}

void mc_stream_client_close(struct mc_stream_client *client)
{
	if (client->state == MC_STREAM_CLIENT_OPEN) {
		client->state = MC_STREAM_CLIENT_CLOSED;
		mc_stream_close(&client->stream);
	} else if (client->state != MC_STREAM_CLIENT_CLOSED) {
		stop_connecting(client);
	}
}
