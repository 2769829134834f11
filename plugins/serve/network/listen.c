/* SPDX-License-Identifier: MIT */
/* Sockets that packets come in by: one per address of each Listen and thread.
 */
#include "listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/datagrams.h>
#include <collector/kit/listen.h>

struct opening { /* What holds for all sockets of a thread. */
	struct listen *listen;
	struct mc_ctx *ctx;
	int buffer;
	bool shared; /* With other threads. */
	bool first;  /* Of them: says what is to be said. */
};

static void set_buffer(const struct opening *opening, int fd)
{
	int got = mc_datagrams_set_buffer(fd, opening->buffer);

	if (got < opening->buffer && opening->first)
		mc_log(opening->ctx, MC_INFO,
		       "the receive buffer has %d bytes, not %d: see "
		       "net.core.rmem_max in socket(7)",
		       got, opening->buffer);
}

static void add_socket(struct listen *listen, int fd,
		       const struct network_listen *block, struct users *users)
{
	struct listen_socket *more = mc_alloc_resize(
		listen->sockets, listen->len + 1, sizeof(*listen->sockets));

	listen->sockets = more;
	more[listen->len++] = (struct listen_socket){
		.fd = fd,
		.level = (enum network_level)block->level,
		.users = users,
	};
}

static int open_address(const struct opening *opening,
			const struct network_listen *block,
			const struct sockaddr_storage *address)
{
	struct listen *listen = opening->listen;
	const struct mc_listen how = {
		.type = SOCK_DGRAM,
		.interface = block->interface,
		.shared = opening->shared,
	};
	char text[MC_ADDRESS_TEXT_SIZE];
	int fd = mc_listen_at(address, &how);

	mc_address_text(address, text);
	if (fd < 0) {
		mc_log(opening->ctx, MC_WARN, "cannot listen at %s: %s", text,
		       strerror(-fd));
		return fd;
	}
	set_buffer(opening, fd);
	add_socket(listen, fd, block, &listen->users[listen->users_len - 1]);
	if (opening->first)
		mc_log(opening->ctx, MC_NOTE, "listens at %s", text);
	return 0;
}

static int open_addresses(const struct opening *opening,
			  const struct network_listen *block,
			  const struct mc_addresses *list)
{
	size_t before = opening->listen->len;
	int rc = 0;

	for (unsigned i = 0; i < list->len; i++)
		if (opening->first || !mc_address_multicast(&list->items[i]))
			rc = open_address(opening, block, &list->items[i]);
	if (rc == 0 || opening->listen->len > before)
		return 0;
	return mc_fail(opening->ctx, -rc, "cannot listen at '%s' port '%s'",
		       block->host, block->port);
}

static int open_block(const struct opening *opening,
		      const struct network_listen *block)
{
	struct listen *listen = opening->listen;
	struct mc_ctx *ctx = opening->ctx;
	struct mc_addresses list;
	int rc;

	if (block->level != NETWORK_NONE && block->auth_file == NULL)
		return mc_fail(ctx, 0,
			       "Listen '%s': this SecurityLevel needs an "
			       "AuthFile",
			       block->host);
	rc = users_start(&listen->users[listen->users_len++], ctx, block);
	if (rc < 0)
		return rc;
	rc = mc_address_find(block->host, block->port, SOCK_DGRAM, AI_PASSIVE,
			     &list);
	if (rc != 0)
		return mc_fail(ctx, 0, "cannot find '%s' port '%s': %s",
			       block->host, block->port, gai_strerror(rc));
	return open_addresses(opening, block, &list);
}

int listen_start(struct listen *listen, struct mc_ctx *ctx,
		 const struct network_options *options, unsigned thread)
{
	const struct network_listen *blocks = options->listens.items;
	const struct opening opening = {
		.listen = listen,
		.ctx = ctx,
		.buffer = (int)options->receive_buffer,
		.shared = options->receive_threads > 1,
		.first = thread == 0,
	};
	int rc = 0;

	*listen = (struct listen){ 0 };
	if (options->listens.len == 0)
		return 0;
	listen->users =
		mc_alloc_array(options->listens.len, sizeof(*listen->users));
	for (size_t i = 0; i < options->listens.len && rc == 0; i++)
		rc = open_block(&opening, &blocks[i]);
	return rc;
}

void listen_stop(struct listen *listen)
{
	for (size_t i = 0; i < listen->len; i++)
		close(listen->sockets[i].fd);
	for (size_t i = 0; i < listen->users_len; i++)
		users_stop(&listen->users[i]);
	free(listen->sockets);
	free(listen->users);
	*listen = (struct listen){ 0 };
}

uint64_t listen_queued(const struct listen *listen)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < listen->len; i++)
		bytes += mc_datagrams_waiting(listen->sockets[i].fd);
	return bytes;
}

uint32_t listen_dropped(struct listen_socket *socket)
{
	uint32_t drops = mc_datagrams_dropped(socket->fd);
	uint32_t more = drops - socket->drops; /* It wraps. */

	socket->drops = drops;
	return more;
}
