/* SPDX-License-Identifier: MIT */
#include <collector/kit/datagram_sockets.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/listen.h>
#include <collector/kit/wait.h>

#define DATAGRAM_SIZE 65535 /* No datagram is longer. */
#define ROUNDS_MAX 16       /* Of one socket, before others have their turn. */

/* --- Sockets -------------------------------------------------------------- */

static void add_one(struct mc_ctx *ctx, struct mc_datagram_sockets *sockets,
		    const struct mc_listen_socket *socket, int buffer)
{
	char text[MC_ADDRESS_TEXT_SIZE];
	int got = mc_datagrams_set_buffer(socket->fd, buffer);

	if (got < buffer)
		mc_log(ctx, MC_INFO,
		       "the receive buffer has %d bytes, not %d: see "
		       "net.core.rmem_max in socket(7)",
		       got, buffer);
	sockets->items[sockets->len++] =
		(struct pollfd){ .fd = socket->fd, .events = POLLIN };
	mc_log(ctx, MC_NOTE, "listens at %s",
	       mc_address_text(&socket->address, text));
}

int mc_datagram_sockets_open(struct mc_ctx *ctx,
			     struct mc_datagram_sockets *sockets,
			     const char *host, const char *port, int buffer)
{
	static const struct mc_listen how = { .type = SOCK_DGRAM,
					      .both_families = true };
	struct mc_listen_sockets opened;
	int rc = mc_listen_host(ctx, host, port, &how, &opened);

	if (rc < 0)
		return rc;
	if (sockets->room == NULL)
		sockets->room = mc_datagrams_new(DATAGRAM_SIZE);
	for (unsigned i = 0; i < opened.len; i++) {
		if (sockets->len < MC_DATAGRAM_SOCKETS_MAX) {
			add_one(ctx, sockets, &opened.items[i], buffer);
			continue;
		}
		close(opened.items[i].fd);
		rc = mc_fail(ctx, 0, "more than %d sockets",
			     MC_DATAGRAM_SOCKETS_MAX);
	}
	return rc;
}

void mc_datagram_sockets_close(struct mc_datagram_sockets *sockets)
{
	for (size_t i = 0; i < sockets->len; i++)
		close(sockets->items[i].fd);
	sockets->len = 0;
	mc_datagrams_free(sockets->room);
	sockets->room = NULL;
}

/* --- What comes ----------------------------------------------------------- */

static void take(struct mc_datagram_sockets *sockets, int fd,
		 const struct mc_datagram_calls *calls)
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

/* What the kernel has dropped by now. */
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

/* Drops are looked at once a second, and a second after the last datagram. */
int mc_datagram_sockets_run(struct mc_ctx *ctx,
			    struct mc_datagram_sockets *sockets,
			    const struct mc_datagram_calls *calls)
{
	mc_time look = INT64_MAX;
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
		look = INT64_MAX;
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

static void put_received(struct mc_batch *batch, const char *type,
			 uint64_t received)
{
	const union mc_value values[] = { { .derive = (int64_t)received },
					  { .derive = 0 } };

	mc_put(batch, mc_series(batch, MC_ID(.type = type)), values, 2);
}

void mc_datagram_sockets_report(const struct mc_datagram_sockets *sockets,
				struct mc_batch *batch)
{
	put_received(batch, "if_octets", sockets->octets);
	put_received(batch, "if_packets", sockets->packets);
}
