/* SPDX-License-Identifier: MIT */
#include <collector/kit/datagram_sockets.h>

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/datagrams.h>
#include <collector/kit/listen.h>

#define ANY_IPV6 "::"
#define ANY_IPV4 "0.0.0.0"

static int open_one(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		    const struct sockaddr_storage *address, int buffer)
{
	static const struct mc_listen how = { .type = SOCK_DGRAM,
					      .both_families = true };
	char text[MC_ADDRESS_TEXT_SIZE];
	int fd = mc_listen_at(address, &how), got;

	mc_address_text(address, text);
	if (fd < 0) {
		mc_log(ctx, MC_WARN, "cannot listen at %s: %s", text,
		       strerror(-fd));
		return fd;
	}
	got = mc_datagrams_set_buffer(fd, buffer);
	if (got < buffer)
		mc_log(ctx, MC_INFO,
		       "the receive buffer has %d bytes, not %d: see "
		       "net.core.rmem_max in socket(7)",
		       got, buffer);
	sockets->items[sockets->len++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
	mc_log(ctx, MC_NOTE, "listens at %s", text);
	return 0;
}

int mc_datagram_sockets_open(struct mc_ctx *ctx,
			     struct mc_datagram_sockets *sockets,
			     const char *host, const char *port, int buffer)
{
	struct mc_addresses list;
	int rc = mc_address_find(host, port, SOCK_DGRAM, AI_PASSIVE, &list);

	if (rc != 0)
		return mc_fail(ctx, 0, "cannot find '%s' port '%s': %s", host,
			       port, gai_strerror(rc));
	for (unsigned i = 0; i < list.len; i++)
		rc = open_one(ctx, sockets, &list.items[i], buffer);
	if (sockets->len > 0)
		return 0;
	if (rc == -EAFNOSUPPORT && strcmp(host, ANY_IPV6) == 0)
		return mc_datagram_sockets_open(ctx, sockets, ANY_IPV4, port,
						buffer);
	return mc_fail(ctx, -rc, "cannot listen at '%s' port '%s'", host, port);
}

void mc_datagram_sockets_close(struct mc_datagram_sockets *sockets)
{
	for (size_t i = 0; i < sockets->len; i++)
		close(sockets->items[i].fd);
	sockets->len = 0;
}

uint64_t mc_datagram_sockets_dropped(struct mc_datagram_sockets *sockets)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++) {
		uint32_t drops = mc_datagrams_dropped(sockets->items[i].fd);

		sum += (uint32_t)(drops - sockets->drops[i]);
		sockets->drops[i] = drops;
	}
	return sum;
}

uint64_t mc_datagram_sockets_waiting(const struct mc_datagram_sockets *sockets)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sockets->len; i++)
		sum += mc_datagrams_waiting(sockets->items[i].fd);
	return sum;
}
