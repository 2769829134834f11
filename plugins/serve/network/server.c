/* SPDX-License-Identifier: MIT */
/* One destination.  The name is looked up in the writer's thread and within a
 * limit, so that a silent resolver delays nothing but this. */
#include "server.h"

#include <collector/kit/timed_call.h>

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#define LOOK_LIMIT (5 * MC_SECOND)  /* For one look-up. */
#define LOOK_AGAIN (10 * MC_SECOND) /* After one that failed. */
#define NEVER INT64_MAX
#define SEND_LIMIT_MS 1000              /* For a socket without room. */
#define REFUSED_PAUSE (600 * MC_SECOND) /* Between two lines about it. */

int server_start(struct server *server, struct mc_ctx *ctx, const struct network_server *block,
		 const struct network_options *options, struct count *count)
{
	*server = (struct server){ .options = block,
				   .count = count,
				   .time_to_live = (int)options->time_to_live,
				   .packet_size = (size_t)options->packet_size,
				   .fd = -1 };
	if (block->level == NETWORK_NONE)
		return 0;
	if (block->user == NULL || block->password == NULL || block->user[0] == '\0')
		return mc_fail(ctx, 0,
			       "Server '%s': this SecurityLevel needs Username "
			       "and Password",
			       block->host);
	if (strlen(block->user) > 255)
		return mc_fail(ctx, 0, "Server '%s': Username is longer than 255 bytes",
			       block->host);
	server->key = crypt_key_new(block->password);
	server->enveloped = mc_alloc(SERVER_PACKETS * server->packet_size);
	if (server->key == NULL)
		return mc_fail(ctx, 0, "Server '%s': no key", block->host);
	return 0;
}

void server_stop(struct server *server)
{
	if (server->fd >= 0)
		close(server->fd);
	crypt_key_free(server->key);
	free(server->enveloped);
	*server = (struct server){ .fd = -1 };
}

static enum mc_binary_item envelope_kind(const struct server *server)
{
	return server->options->level == NETWORK_SIGN ? MC_BINARY_SIGNED : MC_BINARY_ENCRYPTED;
}

size_t server_overhead(const struct server *server)
{
	if (server->key == NULL)
		return 0;
	return mc_binary_envelope_size(envelope_kind(server), strlen(server->options->user));
}

/* --- The address --------------------------------------------------------- */

struct look_up {
	char host[256], port[32];
	struct mc_addresses list;
	int error;
};

static int look_up(void *argument)
{
	struct look_up *look = argument;

	look->error = mc_address_find(look->host, look->port, SOCK_DGRAM, 0, &look->list);
	return 0;
}

static int bind_source(int fd, const struct network_server *options, int family)
{
	struct mc_addresses list;

	if (options->bind_address == NULL)
		return 0;
	if (mc_address_find(options->bind_address, NULL, SOCK_DGRAM, AI_NUMERICHOST, &list) != 0 ||
	    list.len == 0 || list.items[0].ss_family != family)
		return -EADDRNOTAVAIL;
	if (bind(fd, (struct sockaddr *)&list.items[0], mc_address_size(&list.items[0])) != 0)
		return -errno;
	return 0;
}

/* A socket that is connected to the address, or -errno. */
static int open_socket(const struct server *server, const struct sockaddr_storage *address)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = bind_source(fd, server->options, address->ss_family);
	if (rc == 0)
		rc = mc_address_leave_by(fd, address, server->options->interface);
	if (rc == 0 && server->time_to_live > 0)
		rc = mc_address_set_ttl(fd, address, server->time_to_live);
	if (rc == 0 && connect(fd, (const struct sockaddr *)address, mc_address_size(address)) != 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

/* Takes the first address that a packet can be sent to. */
static int take_address(struct server *server, const struct mc_addresses *list)
{
	int rc = -EADDRNOTAVAIL;

	for (unsigned i = 0; i < list->len; i++) {
		if (server->fd >= 0 && mc_address_equal(&server->address, &list->items[i]))
			return 0;
		rc = open_socket(server, &list->items[i]);
		if (rc < 0)
			continue;
		if (server->fd >= 0)
			close(server->fd);
		server->fd = rc;
		server->address = list->items[i];
		return 0;
	}
	return rc;
}

/* Looks the name up; NULL, or what is wrong. */
static const char *find_address(struct server *server, struct mc_ctx *ctx)
{
	struct look_up *look = mc_alloc(sizeof(*look));
	const char *fault = NULL;
	int rc;

	snprintf(look->host, sizeof(look->host), "%s", server->options->host);
	snprintf(look->port, sizeof(look->port), "%s", server->options->port);
	look->error =
		mc_address_find(look->host, look->port, SOCK_DGRAM, AI_NUMERICHOST, &look->list);
	if (look->error != 0) {
		rc = mc_timed_call(ctx, LOOK_LIMIT, look_up, look);
		if (rc == -ETIMEDOUT) /* It is freed when it is done. */
			return strerror(-rc);
		if (rc < 0)
			fault = strerror(-rc);
		else if (look->error != 0)
			fault = gai_strerror(look->error);
	}
	if (fault == NULL) {
		rc = take_address(server, &look->list);
		fault = rc < 0 ? strerror(-rc) : NULL;
	}
	free(look);
	return fault;
}

bool server_ready(struct server *server, struct mc_ctx *ctx, mc_time now)
{
	const struct network_server *options = server->options;
	mc_time again = options->resolve_interval;
	const char *fault;

	if (now < server->look_at)
		return server->fd >= 0;
	fault = find_address(server, ctx);
	if (fault == NULL) {
		server->look_at = again > 0 ? now + again : NEVER;
		mc_works(ctx, &server->look_once, "can reach '%s' port '%s'", options->host,
			 options->port);
	} else {
		server->look_at = mc_now() + LOOK_AGAIN;
		mc_complain(ctx, &server->look_once, 0, "cannot reach '%s' port '%s': %s",
			    options->host, options->port, fault);
	}
	return server->fd >= 0;
}

/* --- Sending ------------------------------------------------------------- */

/* Signs or encrypts packets into the room for that. */
static void envelope_packets(struct server *server, struct mmsghdr *headers,
			     const struct mc_binary_packet *packets, unsigned len)
{
	size_t head_size = server_overhead(server);

	for (unsigned i = 0; i < len; i++) {
		unsigned char *out = server->enveloped + i * server->packet_size;
		struct iovec *vector = headers[i].msg_hdr.msg_iov;
		struct mc_binary_envelope envelope;

		memcpy(out + head_size, packets[i].bytes, packets[i].size);
		mc_binary_envelope(out, envelope_kind(server), server->options->user,
				   packets[i].size, &envelope);
		if (server->options->level == NETWORK_SIGN)
			crypt_sign(server->key, &envelope);
		else
			crypt_encrypt(server->key, &envelope);
		*vector = (struct iovec){ out, head_size + packets[i].size };
	}
}

static void log_refused(struct server *server, struct mc_ctx *ctx)
{
	char text[MC_ADDRESS_TEXT_SIZE];

	if (mc_once_in(&server->refused, mc_now(), REFUSED_PAUSE))
		mc_log(ctx, MC_WARN, "nobody listens at %s",
		       mc_address_text(&server->address, text));
}

/* Whether the same call may be made again.  A refusal is about an earlier packet, and reported
 * once. */
static bool may_retry(struct server *server, struct mc_ctx *ctx, bool again)
{
	struct pollfd room = { .fd = server->fd, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	if (again)
		return false;
	if (errno == ECONNREFUSED) {
		log_refused(server, ctx);
		return true;
	}
	if (errno != EAGAIN && errno != ENOBUFS)
		return false;
	return poll(&room, 1, SEND_LIMIT_MS) == 1;
}

static void count_sent(struct server *server, const struct mmsghdr *headers, unsigned len)
{
	uint64_t octets = 0;

	for (unsigned i = 0; i < len; i++)
		octets += headers[i].msg_len;
	server->count->sent_octets += octets;
	server->count->sent_packets += len;
}

unsigned server_send(struct server *server, struct mc_ctx *ctx,
		     const struct mc_binary_packet *packets, unsigned len)
{
	struct mmsghdr headers[SERVER_PACKETS] = { 0 };
	struct iovec vectors[SERVER_PACKETS];
	unsigned done = 0, lost = 0;
	bool again = false;

	for (unsigned i = 0; i < len; i++) {
		vectors[i] = (struct iovec){ packets[i].bytes, packets[i].size };
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	if (server->key != NULL)
		envelope_packets(server, headers, packets, len);
	while (done < len) {
		int n = sendmmsg(server->fd, headers + done, len - done, MSG_NOSIGNAL);

		if (n > 0) {
			count_sent(server, headers + done, (unsigned)n);
			done += (unsigned)n;
			again = false;
		} else if (may_retry(server, ctx, again)) {
			again = true;
		} else {
			lost += packets[done++].lists_len;
			again = false;
		}
	}
	return lost;
}
