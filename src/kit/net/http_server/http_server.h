/* SPDX-License-Identifier: MIT */
/* Shared by the files of a server: see collector/kit/http_server.h. */
#pragma once

#include <stdatomic.h>

#include <collector/kit/http_server.h>

#include "kit/net/http_server/http_dictionaries.h"
#include "kit/net/http_server/http_events.h"
#include "kit/net/http_server/http_hold.h"
#include "kit/net/http_server/http_pool.h"
#include "kit/net/http_server/http_worker.h"
#include "kit/net/http_server/peer/http_clients.h"
#include "kit/net/http_server/peer/http_peer.h"
#include "kit/net/http_server/peer/http_sessions.h"
#include "kit/net/http_server/peer/http_users.h"
#include "kit/net/http_server/peer/http_watch.h"

struct http_listener;

struct mc_httpd {
	struct mc_ctx *ctx;
	struct mc_httpd_options options;
	struct http_clients clients;
	struct http_holds holds;
	struct http_dictionaries dictionaries;
	struct http_pool threads; /* For routes that may block. */
	struct http_events events;
	struct http_watch watch;
	struct http_sessions sessions;
	struct http_handshake_counts handshakes;
	bool tls; /* At one of the addresses. */
	struct mc_inflate_limits memory;
	atomic_size_t pool;          /* Bytes of bodies now, */
	atomic_size_t answers;       /* and of large answers. */
	struct mc_refusals refusals; /* By enum http_refused. */
	struct http_listener **listeners;
	size_t listeners_len;
};

struct http_thread { /* One of those that serve an address. */
	struct mc_httpd *server;
	const struct mc_httpd_listen *listen;
	struct http_users *users; /* NULL: all may ask. */
	struct http_worker worker;
	struct http_peer_keepers keepers;
};
