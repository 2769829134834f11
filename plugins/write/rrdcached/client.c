/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const mc_time delay_first = 100 * MC_MILLISECOND;
static const mc_time delay_last = 10 * MC_SECOND;

void client_init(struct client *client, mc_time timeout, uint64_t seed)
{
	*client = (struct client){
		.fd = -1,
		.timeout = timeout,
		.delay = delay_first,
		.random = seed | 1,
	};
}

static void hang_up(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
	client->state = CLIENT_AWAY;
	client->expected = 0;
	client->out_len = 0;
	client->blocked = false;
	client->reply = (struct reply){ 0 };
}

void client_done(struct client *client)
{
	hang_up(client);
}

/* xorshift64 (Marsaglia 2003). */
static uint64_t next_random(struct client *client)
{
	client->random ^= client->random << 13;
	client->random ^= client->random >> 7;
	client->random ^= client->random << 17;
	return client->random;
}

void client_fail(struct client *client, mc_time now)
{
	mc_time half = client->delay / 2;

	hang_up(client);
	client->attempts++;
	client->retry_at = now + half + (mc_time)(next_random(client) % (uint64_t)(half + 1));
	client->delay = client->delay < delay_last / 2 ? 2 * client->delay : delay_last;
}

int client_connect(struct client *client, const struct address_target *target, mc_time now)
{
	int fd = socket(target->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	client->fd = fd;
	/* A unix socket says EAGAIN when too many wait to be accepted. */
	if (connect(fd, (const struct sockaddr *)&target->socket, target->size) != 0 &&
	    errno != EINPROGRESS) {
		int error = errno;

		hang_up(client);
		return -error;
	}
	client->state = CLIENT_CONNECTING;
	client->deadline = now + client->timeout;
	return 0;
}

void client_put(struct client *client, const char *text, size_t size)
{
	assert(client->out_len < CLIENT_PIECES_MAX);
	client->out[client->out_len++] = (struct iovec){ (void *)(uintptr_t)text, size };
}

void client_expect(struct client *client, uint64_t replies, mc_time now)
{
	if (client->expected == 0)
		client->deadline = now + client->timeout;
	client->expected += replies;
}

short client_events(const struct client *client)
{
	if (client->state == CLIENT_AWAY)
		return 0;
	if (client->state == CLIENT_CONNECTING)
		return POLLOUT;
	return client->out_len > 0 ? POLLIN | POLLOUT : POLLIN;
}

mc_time client_wake(const struct client *client)
{
	if (client->state == CLIENT_AWAY)
		return client->retry_at;
	if (client->state == CLIENT_CONNECTING || client->expected > 0)
		return client->deadline;
	return INT64_MAX;
}

static int finish_connect(struct client *client, short revents)
{
	socklen_t size = sizeof(int);
	int error = 0;

	if (revents == 0)
		return 0;
	if (getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	if (error != 0)
		return -error;
	client->state = CLIENT_UP;
	return 1;
}

/* That many bytes of the pieces are sent. */
static void take_out(struct client *client, size_t size)
{
	struct iovec *piece = client->out;
	unsigned whole = 0;

	while (whole < client->out_len && size >= piece[whole].iov_len)
		size -= piece[whole++].iov_len;
	client->out_len -= whole;
	memmove(piece, piece + whole, client->out_len * sizeof(*piece));
	if (client->out_len == 0)
		return;
	piece->iov_base = (char *)piece->iov_base + size;
	piece->iov_len -= size;
}

static int send_rest(struct client *client, mc_time now)
{
	struct msghdr message = { .msg_iov = client->out, .msg_iovlen = client->out_len };
	ssize_t sent;

	if (client->out_len == 0)
		return 0;
	sent = sendmsg(client->fd, &message, MSG_NOSIGNAL);
	if (sent < 0 && errno == EAGAIN)
		client->blocked = true;
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	take_out(client, (size_t)sent);
	/* Room in a buffer that was full is a sign of life; room in another one is not. */
	if (client->blocked)
		client->deadline = now + client->timeout;
	client->blocked = client->out_len > 0;
	return 0;
}

int client_send(struct client *client, short revents, mc_time now)
{
	int rc = 0;

	if (client->state == CLIENT_CONNECTING)
		rc = finish_connect(client, revents);
	else if (client->state == CLIENT_UP)
		rc = send_rest(client, now);
	if (rc == 0 && client->state != CLIENT_AWAY && now >= client_wake(client))
		rc = -ETIMEDOUT;
	return rc;
}

ssize_t client_receive(struct client *client, char *bytes, size_t size, mc_time now)
{
	ssize_t got = recv(client->fd, bytes, size, 0);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (got == 0)
		return -EPIPE;
	client->deadline = now + client->timeout;
	return got;
}

bool client_answered(struct client *client)
{
	if (client->expected == 0)
		return false;
	client->expected--;
	client->delay = delay_first;
	return true;
}
