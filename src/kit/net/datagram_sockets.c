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

static void on_ready(void *argument, uint32_t events);

/* There is room. */
static struct mc_datagram_socket *add_socket(struct mc_datagram_sockets *sockets, int fd)
{
	struct mc_datagram_socket *socket = &sockets->items[sockets->len++];

	*socket = (struct mc_datagram_socket){
		.file = { .fd = fd, .ready = on_ready, .argument = socket },
		.all = sockets,
	};
	return socket;
}

static void add_one(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		    const struct mc_listen_socket *socket, int buffer)
{
	char text[MC_ADDRESS_TEXT_SIZE];

	set_buffer(ctx, socket->fd, buffer);
	add_socket(sockets, socket->fd);
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

/* Binds a socket, which takes the place of the other, whose number read() may be
 * using.  Returns 0 or -errno. */
static int open_at(struct mc_datagram_socket *socket)
{
	struct mc_datagram_sockets *sockets = socket->all;
	int fd = open_scoped(&socket->scoped), rc = 0;
	bool watched = socket->file.watched;

	if (fd < 0)
		return fd;
	mc_datagrams_set_buffer(fd, buffer_of(socket->file.fd));
	mc_loop_forget(&sockets->loop, &socket->file);
	if (dup3(fd, socket->file.fd, O_CLOEXEC) < 0)
		rc = -errno;
	close(fd);
	if (watched)
		mc_loop_watch(&sockets->loop, &socket->file, EPOLLIN);
	return rc;
}

/* Binds a socket if the interface has another index than before. */
static void follow(struct mc_ctx *ctx, struct mc_datagram_socket *socket)
{
	struct mc_datagram_scoped *scoped = &socket->scoped;
	unsigned index;
	int rc;

	if (scoped->host == NULL)
		return;
	index = if_nametoindex(interface_of(scoped->host));
	if (index != 0 && index == scoped->index) {
		scoped->failing = false;
		return;
	}
	rc = index != 0 ? open_at(socket) : -ENODEV;
	if (rc < 0) {
		if (!scoped->failing)
			mc_log(ctx, MC_WARN, "cannot listen at '%s', tries again: %s", scoped->host,
			       strerror(-rc));
		scoped->failing = true;
		return;
	}
	socket->drops = 0;
	scoped->index = index;
	scoped->failing = false;
	mc_log(ctx, MC_NOTE, "listens at '%s' port '%s'", scoped->host, scoped->port);
}

/* A socket that is nowhere keeps its place until it can be bound. */
static int add_scoped(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		      const struct mc_datagram_scoped *scoped, int buffer)
{
	struct mc_datagram_socket *added;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return mc_fail(ctx, errno, "cannot make a socket");
	if (sockets->len == MC_DATAGRAM_SOCKETS_MAX) {
		close(fd);
		return mc_fail(ctx, 0, "more than %d sockets", MC_DATAGRAM_SOCKETS_MAX);
	}
	set_buffer(ctx, fd, buffer);
	added = add_socket(sockets, fd);
	added->scoped = *scoped;
	sockets->scoped_len++;
	follow(ctx, added);
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
		close(sockets->items[i].file.fd);
	sockets->len = sockets->scoped_len = 0;
	mc_datagrams_free(sockets->room);
	sockets->room = NULL;
}

/* --- What comes ----------------------------------------------------------- */

static void on_ready(void *argument, uint32_t events)
{
	const struct mc_datagram_socket *socket = argument;
	struct mc_datagram_sockets *sockets = socket->all;
	int fd = socket->file.fd, len = MC_DATAGRAMS_MAX;

	(void)events;
	for (int i = 0; i < ROUNDS_MAX && len == MC_DATAGRAMS_MAX; i++) {
		uint64_t octets = 0;

		len = mc_datagrams_receive(sockets->room, fd);
		if (len <= 0)
			break;
		for (int j = 0; j < len; j++)
			octets += mc_datagrams_get(sockets->room, j).size;
		sockets->packets += (uint64_t)len;
		sockets->octets += octets;
		sockets->calls->take(sockets->calls->argument, fd, sockets->room, len);
	}
	if (!mc_loop_timer_is_set(&sockets->look))
		mc_loop_set_timer(&sockets->loop, &sockets->look, sockets->loop.now + MC_SECOND);
}

/* Number of datagrams that the kernel has dropped so far. */
static void look_at_drops(struct mc_datagram_sockets *sockets)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++) {
		struct mc_datagram_socket *socket = &sockets->items[i];
		uint32_t drops = mc_datagrams_dropped(socket->file.fd);

		sum += (uint32_t)(drops - socket->drops);
		socket->drops = drops;
	}
	if (sum > 0)
		sockets->calls->dropped(sockets->calls->argument, sum);
}

/* Of interfaces nothing comes that says that they have changed. */
static void look_again(struct mc_datagram_sockets *sockets)
{
	if (sockets->scoped_len > 0)
		mc_loop_set_timer(&sockets->loop, &sockets->look, sockets->loop.now + MC_SECOND);
}

/* Drops are looked at once a second, and a second after the last datagram. */
static void on_look(void *argument)
{
	struct mc_datagram_sockets *sockets = argument;

	look_at_drops(sockets);
	for (size_t i = 0; i < sockets->len; i++)
		follow(sockets->loop.ctx, &sockets->items[i]);
	look_again(sockets);
}

static int watch(struct mc_datagram_sockets *sockets)
{
	int rc = 0;

	for (size_t i = 0; i < sockets->len && rc == 0; i++)
		rc = mc_loop_watch(&sockets->loop, &sockets->items[i].file, EPOLLIN);
	return rc;
}

int mc_datagram_sockets_run(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
			    const struct mc_datagram_calls *calls)
{
	int rc;

	sockets->calls = calls;
	sockets->loop.ctx = ctx;
	sockets->look = (struct mc_loop_timer){ .expired = on_look, .argument = sockets };
	rc = mc_loop_init(&sockets->loop);
	if (rc < 0)
		return rc;
	rc = watch(sockets);
	if (rc < 0)
		rc = mc_fail(ctx, -rc, "cannot watch a socket");
	look_again(sockets);
	if (rc == 0)
		rc = mc_loop_run(&sockets->loop);
	mc_loop_done(&sockets->loop);
	return rc;
}

/* --- For read() ----------------------------------------------------------- */

uint64_t mc_datagram_sockets_waiting(const struct mc_datagram_sockets *sockets)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++)
		sum += mc_datagrams_waiting(sockets->items[i].file.fd);
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
