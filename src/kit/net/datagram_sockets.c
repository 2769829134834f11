/* SPDX-License-Identifier: MIT */
#include "kit/net/datagram_sockets.h"
#include "kit/net/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/listen.h>
#include <collector/kit/wait.h>

#define DATAGRAM_SIZE 65535 /* No datagram is longer. */
#define ROUNDS_MAX 16       /* Of one socket, before others have their turn. */

/* --- Sockets -------------------------------------------------------------- */

static void set_buffer(struct mc_ctx *ctx, int fd, int buffer)
{
	int got = mc_datagrams_set_buffer(fd, buffer);

	if (got < buffer)
		mc_log(ctx, MC_INFO,
		       "the receive buffer has %d bytes, not %d: see "
		       "net.core.rmem_max in socket(7)",
		       got, buffer);
}

static void add_one(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		    const struct mc_listen_socket *socket, int buffer)
{
	char text[MC_ADDRESS_TEXT_SIZE];

	set_buffer(ctx, socket->fd, buffer);
	sockets->items[sockets->len++] = (struct pollfd){ .fd = socket->fd, .events = POLLIN };
	mc_log(ctx, MC_NOTE, "listens at %s", mc_address_text(&socket->address, text));
}

/* --- Link-local addresses ------------------------------------------------- */

/* The name of the interface, after '%'; NULL: the host is not such an address. */
static const char *interface_of(const char *host)
{
	const char *interface = strchr(host, '%');

	return interface != NULL && strncasecmp(host, "fe80:", 5) == 0 ? interface + 1 : NULL;
}

/* A socket at the address as it is now, or a negative errno. */
static int open_scoped(const struct mc_datagram_scoped *scoped)
{
	static const struct mc_listen how = { .type = SOCK_DGRAM };
	struct mc_addresses list;
	int rc = mc_address_find(scoped->host, scoped->port, SOCK_DGRAM,
				 AI_PASSIVE | AI_NUMERICHOST, &list);

	return rc == 0 ? mc_listen_at(&list.items[0], &how) : -ENODEV;
}

static int buffer_of(int fd)
{
	socklen_t size = sizeof(int);
	int buffer = 0;

	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
	return buffer / 2; /* The kernel doubles what it is asked for. */
}

/* Binds a socket, which takes the place of 'at', whose number read() may be
 * using.  Returns 0 or -errno. */
static int open_at(const struct mc_datagram_scoped *scoped, int at)
{
	int fd = open_scoped(scoped), rc;

	if (fd < 0)
		return fd;
	mc_datagrams_set_buffer(fd, buffer_of(at));
	rc = dup3(fd, at, O_CLOEXEC) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

/* Binds a socket if the interface has another index than before. */
static void follow(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets, size_t number)
{
	struct mc_datagram_scoped *scoped = &sockets->scoped[number];
	unsigned index;
	int rc;

	if (scoped->host == NULL)
		return;
	index = if_nametoindex(interface_of(scoped->host));
	if (index != 0 && index == scoped->index) {
		scoped->failing = false;
		return;
	}
	rc = index != 0 ? open_at(scoped, sockets->items[number].fd) : -ENODEV;
	if (rc < 0) {
		if (!scoped->failing)
			mc_log(ctx, MC_WARN, "cannot listen at '%s', tries again: %s", scoped->host,
			       strerror(-rc));
		scoped->failing = true;
		return;
	}
	sockets->drops[number] = 0;
	scoped->index = index;
	scoped->failing = false;
	mc_log(ctx, MC_NOTE, "listens at '%s' port '%s'", scoped->host, scoped->port);
}

/* A socket that is nowhere keeps its place until it can be bound. */
static int add_scoped(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		      const struct mc_datagram_scoped *scoped, int buffer)
{
	size_t number = sockets->len;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return mc_fail(ctx, errno, "cannot make a socket");
	if (number == MC_DATAGRAM_SOCKETS_MAX) {
		close(fd);
		return mc_fail(ctx, 0, "more than %d sockets", MC_DATAGRAM_SOCKETS_MAX);
	}
	set_buffer(ctx, fd, buffer);
	sockets->items[number] = (struct pollfd){ .fd = fd, .events = POLLIN };
	sockets->scoped[number] = *scoped;
	sockets->scoped_len++;
	sockets->len++;
	follow(ctx, sockets, number);
	return 0;
}

int mc_datagram_sockets_open(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
			     const char *host, const char *port, int buffer)
{
	static const struct mc_listen how = { .type = SOCK_DGRAM, .both_families = true };
	struct mc_listen_sockets opened;
	int rc;

	if (sockets->room == NULL)
		sockets->room = mc_datagrams_new(DATAGRAM_SIZE);
	if (interface_of(host) != NULL)
		return add_scoped(ctx, sockets,
				  &(struct mc_datagram_scoped){ host, port, 0, false }, buffer);
	rc = mc_listen_host(ctx, host, port, &how, &opened);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < opened.len; i++) {
		if (sockets->len < MC_DATAGRAM_SOCKETS_MAX) {
			add_one(ctx, sockets, &opened.items[i], buffer);
			continue;
		}
		close(opened.items[i].fd);
		rc = mc_fail(ctx, 0, "more than %d sockets", MC_DATAGRAM_SOCKETS_MAX);
	}
	return rc;
}

void mc_datagram_sockets_close(struct mc_datagram_sockets *sockets)
{
	for (size_t i = 0; i < sockets->len; i++)
		close(sockets->items[i].fd);
	memset(sockets->scoped, 0, sizeof(sockets->scoped));
	sockets->len = sockets->scoped_len = 0;
	mc_datagrams_free(sockets->room);
	sockets->room = NULL;
}

/* --- What comes ----------------------------------------------------------- */

static void take(struct mc_datagram_sockets *sockets, int fd, const struct mc_datagram_calls *calls)
{
	int len = MC_DATAGRAMS_MAX;

	for (int i = 0; i < ROUNDS_MAX && len == MC_DATAGRAMS_MAX; i++) {
		uint64_t octets = 0;

		len = mc_datagrams_receive(sockets->room, fd);
		if (len <= 0)
			return;
		for (int j = 0; j < len; j++)
			octets += mc_datagrams_get(sockets->room, j).size;
		sockets->packets += (uint64_t)len;
		sockets->octets += octets;
		calls->take(calls->argument, fd, sockets->room, len);
	}
}

/* Number of datagrams that the kernel has dropped so far. */
static void look_at_drops(struct mc_datagram_sockets *sockets,
			  const struct mc_datagram_calls *calls)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++) {
		uint32_t drops = mc_datagrams_dropped(sockets->items[i].fd);

		sum += (uint32_t)(drops - sockets->drops[i]);
		sockets->drops[i] = drops;
	}
	if (sum > 0)
		calls->dropped(calls->argument, sum);
}

/* When the sockets are to be looked at next, if nothing comes. */
static mc_time when_idle(const struct mc_datagram_sockets *sockets)
{
	return sockets->scoped_len > 0 ? mc_now() + MC_SECOND : INT64_MAX;
}

/* Drops are looked at once a second, and a second after the last datagram. */
int mc_datagram_sockets_run(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
			    const struct mc_datagram_calls *calls)
{
	mc_time look = when_idle(sockets);
	int rc;

	while ((rc = mc_wait(ctx, sockets->items, sockets->len, look)) >= 0) {
		for (size_t i = 0; i < sockets->len; i++)
			if (sockets->items[i].revents != 0)
				take(sockets, sockets->items[i].fd, calls);
		if (look == INT64_MAX)
			look = mc_now() + MC_SECOND;
		if (mc_now() < look)
			continue;
		look_at_drops(sockets, calls);
		for (size_t i = 0; i < sockets->len; i++)
			follow(ctx, sockets, i);
		look = when_idle(sockets);
	}
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot receive");
}

/* --- For read() ----------------------------------------------------------- */

uint64_t mc_datagram_sockets_waiting(const struct mc_datagram_sockets *sockets)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++)
		sum += mc_datagrams_waiting(sockets->items[i].fd);
	return sum;
}

static void put_received(struct mc_batch *batch, const char *type, uint64_t received)
{
	const union mc_value values[] = { { .derive = (int64_t)received }, { .derive = 0 } };

	mc_put(batch, mc_series(batch, MC_ID(.type = type)), values, 2);
}

void mc_datagram_sockets_report(const struct mc_datagram_sockets *sockets, struct mc_batch *batch)
{
	put_received(batch, "if_octets", sockets->octets);
	put_received(batch, "if_packets", sockets->packets);
}
