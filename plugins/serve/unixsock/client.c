/* SPDX-License-Identifier: MIT */
/* One connection. */
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

struct client *client_new(int fd, mc_time now)
{
	struct client *client = mc_alloc_zero(sizeof(*client));

	client->fd = fd;
	client->node.active = now;
	return client;
}

void client_free(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	free(client->kept);
	reply_done(&client->out);
	free(client);
}

void client_keep(struct client *client, const char *text, size_t size)
{
	char *kept = size > 0 ? mc_alloc_bytes(text, size) : NULL;

	free(client->kept);
	client->kept = kept;
	client->kept_size = size;
}

/* Returns how much of it the socket took, or -1. */
static ssize_t send_some(int fd, const char *text, size_t size)
{
	ssize_t n;

	do
		n = send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	return n;
}

bool client_has_sent(const struct client *client)
{
	char byte;

	return recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool client_send(struct client *client, struct reply *reply, mc_time now)
{
	if (reply->size == 0)
		return true;

	ssize_t sent = send_some(client->fd, reply->text, reply->size);

	if (sent < 0) {
		/* It is the server's: the next client's goes in there. */
		reply_reset(reply);
		return false;
	}
	if ((size_t)sent < reply->size) {
		/* The buffer itself moves: it can be a long one. */
		client->out = *reply;
		client->out_sent = (size_t)sent;
		*reply = (struct reply){ 0 };
	}
	client->node.active = now;
	reply_reset(reply);
	return true;
}

bool client_send_rest(struct client *client, mc_time now)
{
	if (!client_sending(client))
		return true;

	ssize_t sent = send_some(client->fd, client->out.text + client->out_sent,
				 client->out.size - client->out_sent);

	if (sent < 0)
		return false;
	if (sent > 0)
		client->node.active = now;
	client->out_sent += (size_t)sent;
	if (!client_sending(client)) {
		reply_done(&client->out);
		client->out_sent = 0;
	}
	return true;
}
