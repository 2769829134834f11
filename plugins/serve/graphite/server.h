/* SPDX-License-Identifier: MIT */
/* Sockets, and the one thread that serves them.  The values of a round of its loop are
 * one batch, or some. */
#pragma once

#include <collector/kit/tls_stream.h>
#include <collector/quota.h>

#include "kit/net/datagrams.h"

#include "client.h"

struct listen_options { /* A block Listen. */
	const char *host, *port;
	int protocol; /* enum protocol */
	bool udp;
	const char *certificate, *key, *ca; /* Files; NULL: no TLS. */
	bool tls12;
};

/* Whether it also takes datagrams. */
static inline bool server_takes_datagrams(const struct listen_options *options)
{
	return options->udp && options->protocol != PROTOCOL_PICKLE && options->certificate == NULL;
}

struct server_options {
	struct mc_paths_options paths;
	int64_t clients_max, clients_per_address; /* Connections. */
	int64_t frame_max, memory_max;            /* Bytes. */
	struct mc_quota_limits limits;            /* Of a sender. */
	int64_t receive_buffer;                   /* Of each UDP socket. */
};

struct server;

struct listener { /* A socket. */
	struct client_owner owner;
	struct server *server;
	int fd;
	const struct listen_options *options;
	struct mc_stream_listener streams; /* Of TCP. */
	struct mc_tls_server tls;
	struct mc_loop_file datagrams; /* Of UDP. */
	bool udp;
	uint32_t dropped; /* The kernel's count of before. */
};

enum { SERVER_LISTENERS_MAX = 64, SERVER_KINDS = PROTOCOL_OPENTSDB + 1 };

struct server {
	struct mc_ctx *ctx;
	const struct server_options *options;
	struct mc_loop loop;
	struct mc_loop_timer look;
	struct mc_stream_server streams; /* Of struct client. */
	struct mc_stream_kind kinds[SERVER_KINDS];
	struct listener listeners[SERVER_LISTENERS_MAX];
	size_t listeners_len;
	struct senders senders;
	struct intake intake;
	struct refused refused;
	struct mc_datagrams *datagrams;
};

/* These return 0, or what mc_fail() returned; server_stop() follows in any case. */
int server_start(struct server *, struct mc_ctx *, const struct server_options *);
int server_listen(struct server *, const struct listen_options *);
int server_run(struct server *);

/* Reads the files of certificates again, for new connections.  Any thread. */
int server_renew(struct server *);
void server_stop(struct server *);
