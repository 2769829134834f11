/* SPDX-License-Identifier: MIT */
#include "kit/net/datagram_client.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/address.h>

/* The clock of a thread that waits for a server, not that of a loop. */
static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int connect_to(const struct sockaddr_storage *address)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, mc_address_size(address)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

void datagram_client_close(struct datagram_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

/* Whether another address of the host may be served. */
static bool is_of_address(int rc)
{
	return rc == -ECONNREFUSED || rc == -EADDRNOTAVAIL || rc == -ENETUNREACH ||
	       rc == -EAFNOSUPPORT;
}

static int ask_at(struct datagram_client *client, const struct mc_addresses *list,
		  int (*ask)(void *argument), void *argument)
{
	int rc = -EADDRNOTAVAIL;

	for (unsigned i = 0; i < list->len && is_of_address(rc); i++) {
		rc = client->fd = connect_to(&list->items[i]);
		if (rc >= 0)
			rc = ask(argument);
		if (rc != 0)
			datagram_client_close(client);
	}
	return rc;
}

int datagram_client_ask(struct datagram_client *client, int (*ask)(void *argument), void *argument)
{
	struct mc_addresses list;
	int rc;

	if (client->fd < 0) {
		rc = mc_address_find(client->host, client->port, SOCK_DGRAM, 0, &list);
		return rc != 0 ? -rc : ask_at(client, &list, ask, argument);
	}
	rc = ask(argument);
	if (rc != 0)
		datagram_client_close(client);
	return rc;
}

int datagram_client_send(struct datagram_client *client, const void *bytes, size_t size)
{
	client->deadline = milliseconds() + client->timeout_ms;
	return send(client->fd, bytes, size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t datagram_client_receive(const struct datagram_client *client, void *bytes, size_t size)
{
	struct pollfd file = { .fd = client->fd, .events = POLLIN };
	int64_t rest;
	ssize_t got;

	while ((rest = client->deadline - milliseconds()) > 0) {
		if (poll(&file, 1, (int)rest) < 0 && errno != EINTR)
			return -errno;
		got = recv(client->fd, bytes, size, 0);
		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return -ETIMEDOUT;
}
