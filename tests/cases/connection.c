/* SPDX-License-Identifier: MIT */
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"

#include "secrets.h"
#include "settle.h"
#include "shown.h"

enum { DATAGRAM_MAX = 65536, CHUNK = 65536 };

struct connection {
	int fd; /* -1: closed, by either side. */
	unsigned number;
	bool datagrams, deaf;
	struct sockaddr_storage from; /* Who has sent the last datagram. */
	socklen_t from_size;          /* 0: nobody, or it is connected. */
	struct secret_stream *tls;    /* NULL: plain text. */
};

struct connection *connection_new(int fd, unsigned number, const struct secrets *secrets,
				  bool server)
{
	struct connection *connection = alloc_zero(sizeof(*connection));
	socklen_t size = sizeof(int);
	int type = SOCK_STREAM, yes = 1;

	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)); /* If it is of TCP. */
	connection->fd = fd;
	connection->number = number;
	connection->datagrams = type == SOCK_DGRAM;
	if (secrets != NULL)
		connection->tls = secret_stream_new(secrets, fd, server);
	return connection;
}

static void hang_up(struct connection *connection)
{
	secret_stream_free(connection->tls);
	connection->tls = NULL;
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

void connection_free(struct connection *connection)
{
	hang_up(connection);
	free(connection);
}

static void print_event(const struct connection *connection, const char *what, FILE *out)
{
	fprintf(out, "* connection %u %s\n", connection->number, what);
}

/* What errno means. */
static const char *why(const struct connection *connection)
{
	return errno == EPROTO && connection->tls != NULL ? secret_stream_why(connection->tls)
							  : strerror(errno);
}

/* --- Out ------------------------------------------------------------------ */

static ssize_t send_some(struct connection *connection, const char *bytes, size_t size)
{
	const struct sockaddr *to = (const struct sockaddr *)&connection->from;

	if (connection->tls != NULL)
		return secret_stream_send(connection->tls, bytes, size);
	return sendto(connection->fd, bytes, size, MSG_NOSIGNAL,
		      connection->from_size > 0 ? to : NULL, connection->from_size);
}

/* Whether the plugin has made room, or has answered the handshake, after it had the time to. */
static bool may_go_on(const struct connection *connection)
{
	struct pollfd fd = { .fd = connection->fd, .events = POLLOUT };

	if (connection->tls != NULL)
		fd.events = secret_stream_events(connection->tls);
	return settle() && poll(&fd, 1, 0) == 1;
}

void connection_send(struct connection *connection, const char *bytes, size_t size, FILE *out)
{
	while (size > 0 && connection->fd >= 0) {
		ssize_t n = send_some(connection, bytes, size);

		if (n < 0 && errno == EAGAIN && may_go_on(connection))
			continue;
		if (n < 0) {
			print_event(connection,
				    errno == EAGAIN ? "does not take all" : why(connection), out);
			return;
		}
		bytes += n;
		size -= (size_t)n;
	}
}

/* --- In ------------------------------------------------------------------- */

static ssize_t receive_some(struct connection *connection, char *bytes, size_t size)
{
	if (connection->tls != NULL)
		return secret_stream_receive(connection->tls, bytes, size);
	if (!connection->datagrams)
		return recv(connection->fd, bytes, size, 0);

	struct sockaddr_storage from;
	socklen_t from_size = sizeof(from);
	ssize_t n = recvfrom(connection->fd, bytes, size, 0, (struct sockaddr *)&from, &from_size);

	if (n >= 0) {
		connection->from = from;
		connection->from_size = from_size;
	}
	return n;
}

/* Bytes that come in pieces are one text. */
struct coming {
	char *bytes;
	size_t size;
};

static void print_coming(const struct connection *connection, struct coming *coming, FILE *out)
{
	char prefix[16];

	if (connection->number == 1)
		snprintf(prefix, sizeof(prefix), "< ");
	else
		snprintf(prefix, sizeof(prefix), "%u< ", connection->number);
	shown_print(out, prefix, coming->bytes, coming->size);
	coming->size = 0;
}

/* What recv() has returned, if it is not bytes. */
static void end(struct connection *connection, ssize_t n, FILE *out)
{
	if (n < 0 && connection->datagrams) /* An answer of ICMP. */
		return;
	print_event(connection,
		    n == 0                ? "is closed"
		    : errno == ECONNRESET ? "is reset"
					  : why(connection),
		    out);
	hang_up(connection);
}

bool connection_take(struct connection *connection, FILE *out)
{
	struct coming coming = { 0 };
	bool any = false;
	int yes = 1;

	/* The kernel acknowledges later otherwise, and the plugin's may wait for that
	 * with what comes next. */
	setsockopt(connection->fd, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));

	while (connection->fd >= 0 && !connection->deaf) {
		ssize_t n;

		coming.bytes = alloc_resize(coming.bytes, coming.size + CHUNK, 1);
		n = receive_some(connection, coming.bytes + coming.size, CHUNK);
		if (n < 0 && errno == EAGAIN)
			break;
		any = true;
		if (n > 0)
			coming.size += (size_t)n;
		if (n <= 0 || connection->datagrams)
			print_coming(connection, &coming, out);
		if (n < 0 || (n == 0 && !connection->datagrams))
			end(connection, n, out);
	}
	print_coming(connection, &coming, out);
	free(coming.bytes);
	return any;
}

void connection_set_deaf(struct connection *connection, bool deaf)
{
	connection->deaf = deaf;
}

void connection_end(struct connection *connection, enum connection_end how)
{
	const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	if (connection->fd < 0)
		return;
	if (how == CONNECTION_SHUT) {
		if (connection->tls != NULL)
			secret_stream_bye(connection->tls);
		else
			shutdown(connection->fd, SHUT_WR);
		return;
	}
	if (how == CONNECTION_CUT)
		setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	else if (connection->tls != NULL)
		secret_stream_bye(connection->tls);
	hang_up(connection);
}
