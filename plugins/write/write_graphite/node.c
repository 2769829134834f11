/* SPDX-License-Identifier: MIT */
#include "node.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	DATAGRAM_SIZE = 1428,  /* As collectd: one frame of Ethernet. */
	SILENT_MAX_MS = 30000, /* Without an acknowledgement. */
	TRIM_SIZE = 256 << 10, /* Acknowledged bytes that are kept. */
	DISCARDED_SIZE = 4096, /* Bytes of a peer that are read at once. */
};
static const mc_time connect_max = 5 * MC_SECOND;
static const mc_time longest_pause = 30 * MC_SECOND;
static const mc_time short_pause = 20 * MC_MILLISECOND;

void node_init(struct node *node, struct mc_ctx *ctx, const struct node_options *options,
	       size_t limit)
{
	*node = (struct node){
		.options = options,
		.ctx = ctx,
		.fd = -1,
		.watched = -1,
		.backoff.longest = longest_pause,
		.limit = limit,
	};
}

static void close_socket(struct node *node)
{
	if (node->fd >= 0)
		close(node->fd);
	node->fd = node->watched = -1;
}

void node_done(struct node *node)
{
	if (node->options != NULL)
		close_socket(node);
	mc_lookup_stop(&node->lookup);
	mc_buffer_free(&node->out);
}

/* --- Lines that wait ------------------------------------------------------ */

static uint64_t count_lines(const char *at, size_t size)
{
	const char *end = at + size;
	uint64_t lines = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		lines++;
	}
	return lines;
}

/* Where the line begins that the byte at 'place' belongs to. */
static size_t line_start(const struct node *node, size_t place)
{
	while (place > 0 && node->out.at[place - 1] != '\n')
		place--;
	return place;
}

/* Takes whole lines off the front, whatever became of them. */
static void cut_front(struct node *node, size_t size)
{
	if (size == 0)
		return;
	memmove(node->out.at, node->out.at + size, node->out.size - size);
	node->out.size -= size;
	node->sent -= node->sent < size ? node->sent : size;
}

/* Takes off what is sent for good.  Datagrams are counted one by one. */
static void finish_lines(struct node *node, size_t size)
{
	if (node->options->protocol == NODE_TCP)
		node->counts.sent += count_lines(node->out.at, size);
	cut_front(node, size);
}

/* How many bytes of those that were sent are acknowledged. */
static size_t acknowledged(const struct node *node)
{
	int unsafe = 0;

	if (node->options->protocol == NODE_UDP)
		return node->sent;
	if (node->fd < 0 || node->connecting || ioctl(node->fd, SIOCOUTQ, &unsafe) != 0 ||
	    unsafe < 0 || (size_t)unsafe > node->sent)
		return 0;
	return node->sent - (size_t)unsafe;
}

static void trim(struct node *node, size_t at_least)
{
	size_t safe = line_start(node, acknowledged(node));

	if (safe >= at_least)
		finish_lines(node, safe);
}

void node_reserve(struct node *node, size_t size)
{
	size_t excess, drop;

	if (node->out.size + size + 1 <= node->limit) {
		mc_buffer_reserve(&node->out, node->out.size + size + 1);
		return;
	}
	trim(node, 1);
	excess = node->out.size + size > node->limit ? node->out.size + size - node->limit : 0;
	if (excess > 0 && node->out.size > 0) {
		/* An eighth more, so that not each line moves all. */
		drop = excess + node->limit / 8;
		if (drop > node->out.size)
			drop = node->out.size;
		while (drop < node->out.size && node->out.at[drop - 1] != '\n')
			drop++;
		node->counts.dropped += count_lines(node->out.at, drop);
		/* A line of which a part is sent must end there. */
		if (node->sent < drop && node->sent > 0 && node->out.at[node->sent - 1] != '\n')
			close_socket(node);
		cut_front(node, drop);
	}
	mc_buffer_reserve(&node->out, node->out.size + size + 1);
}

/* --- The connection ------------------------------------------------------- */

static void say_away(struct node *node, int errnum, const char *what)
{
	const struct node_options *options = node->options;

	snprintf(node->why, sizeof(node->why), "%s '%.64s' port '%.16s'%s%s", what, options->host,
		 options->port, errnum > 0 ? ": " : "", errnum > 0 ? strerror(errnum) : "");
	if (node->speaks)
		mc_complain(node->ctx, &node->once, 0, "%s", node->why);
}

/* Lines that were not acknowledged are sent again, each from its start. */
static void hang_up(struct node *node)
{
	if (node->fd < 0)
		return;
	finish_lines(node, line_start(node, acknowledged(node)));
	node->sent = 0;
	close_socket(node);
	node->connecting = false;
}

static void fail(struct node *node, mc_time now, int errnum, const char *what)
{
	hang_up(node);
	say_away(node, errnum, what);
	mc_backoff_failed(&node->backoff, now, 0);
}

static void set_up(struct node *node, mc_time now)
{
	node->connecting = false;
	node->connected_at = now;
	node->why[0] = '\0';
	mc_backoff_done(&node->backoff);
	if (node->speaks)
		mc_works(node->ctx, &node->once, "sends to '%s' port '%s'", node->options->host,
			 node->options->port);
}

static int open_socket(struct node *node, const struct sockaddr_storage *address, mc_time now)
{
	bool tcp = node->options->protocol == NODE_TCP;
	int type = tcp ? SOCK_STREAM : SOCK_DGRAM, silent = SILENT_MAX_MS;
	int fd = socket(address->ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent, sizeof(silent));
	node->connecting = false;
	if (connect(fd, (const struct sockaddr *)address, mc_address_size(address)) != 0) {
		int error = errno;

		if (error != EINPROGRESS) {
			close(fd);
			return -error;
		}
		node->connecting = true;
		node->deadline = now + connect_max;
	}
	node->fd = fd;
	if (!node->connecting)
		set_up(node, now);
	return 0;
}

/* As getaddrinfo(), but EAI_INPROGRESS where that would wait. */
static int find(struct node *node, mc_time now, struct mc_addresses *list)
{
	const struct node_options *options = node->options;
	int type = options->protocol == NODE_TCP ? SOCK_STREAM : SOCK_DGRAM, rc;

	if (mc_lookup_runs(&node->lookup))
		return mc_lookup_all(&node->lookup, list);
	if (mc_address_find(options->host, options->port, type, AI_NUMERICHOST, list) == 0)
		return 0;
	rc = mc_lookup_start(&node->lookup, options->host, options->port, AF_UNSPEC, type);
	node->deadline = now + connect_max;
	return rc == 0 ? EAI_INPROGRESS : rc;
}

static void begin(struct node *node, mc_time now)
{
	struct mc_addresses list;
	int rc = find(node, now, &list);

	if (rc == EAI_INPROGRESS) {
		node->pause_until = now + short_pause;
		if (now >= node->deadline && node->why[0] == '\0')
			say_away(node, 0, "has no answer yet where to find");
		return;
	}
	if (rc != 0) {
		fail(node, now, 0, "cannot find");
		return;
	}
	/* The next of several addresses, after each failure. */
	rc = -EADDRNOTAVAIL;
	for (unsigned i = 0; rc < 0 && i < list.len; i++)
		rc = open_socket(node, &list.items[(node->backoff.failures + i) % list.len], now);
	if (rc < 0)
		fail(node, now, -rc, "cannot connect to");
}

static void finish(struct node *node, mc_time now)
{
	struct pollfd one = { .fd = node->fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int error = 0;

	if (poll(&one, 1, 0) == 0) {
		if (now >= node->deadline)
			fail(node, now, ETIMEDOUT, "cannot connect to");
		return;
	}
	if (getsockopt(node->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	if (error != 0)
		fail(node, now, error, "cannot connect to");
	else
		set_up(node, now);
}

/* Only a read shows that the peer has closed. */
static void look(struct node *node, mc_time now)
{
	char discarded[DISCARDED_SIZE];
	ssize_t got = recv(node->fd, discarded, sizeof(discarded), 0);

	if (got == 0)
		fail(node, now, ECONNRESET, "cannot send to");
	else if (got < 0 && errno != EAGAIN && errno != EINTR)
		fail(node, now, errno, "cannot send to");
}

/* --- Sending -------------------------------------------------------------- */

static void send_stream(struct node *node, mc_time now)
{
	while (node_waiting(node) > 0) {
		ssize_t size =
			send(node->fd, node->out.at + node->sent, node_waiting(node), MSG_NOSIGNAL);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && errno == EAGAIN)
			return;
		if (size < 0) {
			fail(node, now, errno, "cannot send to");
			return;
		}
		node->sent += (size_t)size;
	}
}

/* Of the lines that wait, as many as a datagram takes; one at least. */
static size_t datagram_size(const struct node *node)
{
	const char *at = node->out.at + node->sent, *newline;
	size_t left = node_waiting(node);

	if (left <= DATAGRAM_SIZE)
		return left;
	newline = memrchr(at, '\n', DATAGRAM_SIZE);
	if (newline == NULL)
		newline = memchr(at, '\n', left);
	return newline == NULL ? left : (size_t)(newline - at) + 1;
}

/* An absent peer sends no error, or only for the datagram before. */
static void send_datagrams(struct node *node, mc_time now)
{
	while (node_waiting(node) > 0) {
		size_t size = datagram_size(node);
		const char *at = node->out.at + node->sent;
		ssize_t done;
		int error;

		do {
			done = send(node->fd, at, size, MSG_NOSIGNAL);
			error = done < 0 ? errno : 0;
		} while (error == EINTR);
		if (error == EAGAIN || error == ENOBUFS) {
			node->pause_until = now + short_pause;
			return;
		}
		if (error == 0)
			node->counts.sent += count_lines(at, size);
		else {
			node->counts.dropped += count_lines(at, size);
			if (node->options->log_errors)
				mc_complain(node->ctx, &node->once, error,
					    "cannot send to '%s' port '%s'", node->options->host,
					    node->options->port);
		}
		node->sent += size;
	}
}

static bool is_due(const struct node *node, mc_time now)
{
	mc_time interval = node->options->reconnect_interval;

	return interval > 0 && now >= node->connected_at + interval;
}

bool node_push(struct node *node, mc_time now)
{
	bool udp = node->options->protocol == NODE_UDP;

	node->pause_until = 0;
	if (node->fd >= 0 && node->connecting)
		finish(node, now);
	else if (node->fd >= 0 && !udp)
		look(node, now);
	/* Only between lines, and not before all that was sent is there. */
	if (node->fd >= 0 && !node->connecting && is_due(node, now) &&
	    line_start(node, node->sent) == node->sent && acknowledged(node) == node->sent) {
		finish_lines(node, node->sent);
		close_socket(node);
	}
	if (node->fd < 0 && node->out.size > 0 && now >= node->backoff.until)
		begin(node, now);
	if (node->fd >= 0 && !node->connecting) {
		if (udp)
			send_datagrams(node, now);
		else
			send_stream(node, now);
	}
	trim(node, node_waiting(node) == 0 ? 1 : TRIM_SIZE);
	node->counts.waiting = node_waiting(node);
	return node_waiting(node) == 0;
}

mc_time node_due(const struct node *node)
{
	if (node->pause_until != 0)
		return node->pause_until;
	if (node_waiting(node) == 0)
		return INT64_MAX;
	if (node->fd < 0)
		return node->backoff.until;
	return node->connecting ? node->deadline : INT64_MAX;
}

struct pollfd node_events(const struct node *node)
{
	bool udp = node->options->protocol == NODE_UDP;
	struct pollfd one = { .fd = node->fd };

	if (!udp && !node->connecting)
		one.events |= POLLIN;
	if (node->connecting || node_waiting(node) > 0)
		one.events |= POLLOUT;
	/* An error of a datagram is there until the next one is sent. */
	if (node->pause_until != 0 || one.events == 0)
		one.fd = -1;
	return one;
}
