/* SPDX-License-Identifier: MIT */
/* Sockets that packets come in by: one per address of each Listen and thread. */
#include "listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen.h>

#include "kit/net/datagrams.h"

struct opening { /* Shared by all sockets of a thread. */
	struct listen *listen;
	struct mc_ctx *ctx;
	int buffer;
	bool shared; /* With other threads. */
	bool first;  /* The one among them that logs. */
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

static void add_socket(struct listen *listen, int fd, const struct network_listen *block,
		       struct users *users)
{
	struct listen_socket *more =
		mc_alloc_resize(listen->sockets, listen->len + 1, sizeof(*listen->sockets));

	listen->sockets = more;
	more[listen->len++] = (struct listen_socket){
		.file.fd = fd,
		.level = (enum network_level)block->level,
		.users = users,
	};
}

/* A group gets each packet once: so only the first thread has its socket. */
static int open_addresses(const struct opening *opening, const struct network_listen *block,
			  struct users *users)
{
	const struct mc_listen how = {
		.type = SOCK_DGRAM,
		.interface = block->interface,
		.shared = opening->shared,
		.no_groups = !opening->first,
	};
	struct mc_listen_sockets opened;
	char text[MC_ADDRESS_TEXT_SIZE];
	int rc = mc_listen_host(opening->ctx, block->host, block->port, &how, &opened);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < opened.len; i++) {
		set_buffer(opening, opened.items[i].fd);
		add_socket(opening->listen, opened.items[i].fd, block, users);
		if (opening->first)
			mc_log(opening->ctx, MC_NOTE, "listens at %s",
			       mc_address_text(&opened.items[i].address, text));
	}
	return 0;
}

static int open_block(const struct opening *opening, const struct network_listen *block)
{
	struct listen *listen = opening->listen;
	struct mc_ctx *ctx = opening->ctx;
	struct users *users;
	int rc;

	if (block->level != NETWORK_NONE && block->auth_file == NULL)
		return mc_fail(ctx, 0,
			       "Listen '%s': this SecurityLevel needs an "
			       "AuthFile",
			       block->host);
	users = &listen->users[listen->users_len++];
	rc = users_start(users, ctx, block);
	return rc < 0 ? rc : open_addresses(opening, block, users);
}

int listen_start(struct listen *listen, struct mc_ctx *ctx, const struct network_options *options,
		 unsigned thread)
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
	listen->users = mc_alloc_array(options->listens.len, sizeof(*listen->users));
	for (size_t i = 0; i < options->listens.len && rc == 0; i++)
		rc = open_block(&opening, &blocks[i]);
	return rc;
}

void listen_stop(struct listen *listen)
{
	for (size_t i = 0; i < listen->len; i++)
		close(listen->sockets[i].file.fd);
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
		bytes += mc_datagrams_waiting(listen->sockets[i].file.fd);
	return bytes;
}

uint32_t listen_dropped(struct listen_socket *socket)
{
	uint32_t drops = mc_datagrams_dropped(socket->file.fd);
	uint32_t more = drops - socket->drops; /* It wraps. */

	socket->drops = drops;
	return more;
}
