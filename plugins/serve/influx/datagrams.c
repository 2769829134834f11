/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/listen.h>
#include <collector/kit/wait.h>

#define DATAGRAM_SIZE 65535 /* No datagram is longer. */
#define NO_IPV6 "0.0.0.0"   /* Where "::" is unknown. */

static int add_socket(struct datagrams *datagrams,
		      const struct sockaddr_storage *address, int buffer_size)
{
	static const struct mc_listen how = { .type = SOCK_DGRAM,
					      .both_families = true };
	char text[MC_ADDRESS_TEXT_SIZE];
	int fd;

	if (datagrams->sockets_len == DATAGRAMS_SOCKETS_MAX)
		return -EMFILE;
	fd = mc_listen_at(address, &how);
	if (fd < 0)
		return fd;
	mc_datagrams_set_buffer(fd, buffer_size);
	datagrams->sockets[datagrams->sockets_len++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
	mc_log(datagrams->ctx, MC_NOTE, "listens at %s (UDP)",
	       mc_address_text(address, text));
	return 0;
}

static int listen_at(struct datagrams *datagrams, const char *host,
		     const char *port, int buffer_size)
{
	size_t before = datagrams->sockets_len;
	struct mc_addresses list;
	int rc = mc_address_find(host, port, SOCK_DGRAM, AI_PASSIVE, &list);

	if (rc != 0)
		return mc_fail(datagrams->ctx, 0,
			       "cannot find '%s' port '%s': %s", host, port,
			       gai_strerror(rc));
	for (unsigned i = 0; i < list.len; i++)
		rc = add_socket(datagrams, &list.items[i], buffer_size);
	if (datagrams->sockets_len > before)
		return 0;
	/* A kernel without IPv6. */
	if (rc == -EAFNOSUPPORT && strcmp(host, "::") == 0)
		return listen_at(datagrams, NO_IPV6, port, buffer_size);
	return mc_fail(datagrams->ctx, -rc, "cannot listen at '%s' port '%s'",
		       host, port);
}

int datagrams_listen(struct datagrams *datagrams,
		     const struct datagrams_options *options, int buffer_size)
{
	if (datagrams->room == NULL)
		datagrams->room = mc_datagrams_new(DATAGRAM_SIZE);
	return listen_at(datagrams, options->host, options->port, buffer_size);
}

/* What one system call brings is one batch. */
static void take(struct datagrams *datagrams, int fd)
{
	int len = mc_datagrams_receive(datagrams->room, fd);
	struct mc_batch *batch;

	if (len <= 0)
		return;
	batch = mc_begin(datagrams->ctx);
	if (datagrams->quota != NULL)
		mc_charge(batch, datagrams->quota);
	for (int i = 0; i < len; i++) {
		struct mc_datagram datagram =
			mc_datagrams_get(datagrams->room, i);
		struct points_result result;

		points_put(datagrams->points, batch,
			   &(struct points_text){ datagram.bytes, datagram.size,
						  1 },
			   &result);
		datagrams->cut += datagram.cut;
	}
	datagrams->packets += (uint64_t)len;
	mc_commit(batch);
}

static void look_at_drops(struct datagrams *datagrams)
{
	for (size_t i = 0; i < datagrams->sockets_len; i++) {
		uint32_t drops = mc_datagrams_dropped(datagrams->sockets[i].fd);

		datagrams->dropped += drops - datagrams->drops[i];
		datagrams->drops[i] = drops;
	}
}

/* Drops are looked at once a second, and a second after the last packet. */
void datagrams_run(struct datagrams *datagrams)
{
	struct pollfd *sockets = datagrams->sockets;
	mc_time look = INT64_MAX;

	while (mc_wait(datagrams->ctx, sockets, datagrams->sockets_len, look) >=
	       0) {
		for (size_t i = 0; i < datagrams->sockets_len; i++)
			if (sockets[i].revents != 0)
				take(datagrams, sockets[i].fd);
		if (look == INT64_MAX)
			look = mc_now() + MC_SECOND;
		if (mc_now() < look)
			continue;
		look_at_drops(datagrams);
		look = INT64_MAX;
	}
}

void datagrams_done(struct datagrams *datagrams)
{
	for (size_t i = 0; i < datagrams->sockets_len; i++)
		close(datagrams->sockets[i].fd);
	datagrams->sockets_len = 0;
	mc_datagrams_free(datagrams->room);
	datagrams->room = NULL;
	mc_quota_free(datagrams->quota);
	datagrams->quota = NULL;
}
