/* SPDX-License-Identifier: MIT */
/* A client of the node, most often Munin's master: its commands, and the answers.
 * Thread: run()'s. */
#pragma once

#include <collector/kit/stream_server.h>
#include <collector/kit/tls_stream.h>

#include "text.h"

enum client_refusal {
	REFUSED_NOTHING,
	REFUSED_ADDRESS, /* It may not connect. */
	REFUSED_CLIENTS, /* There are too many. */
	REFUSED_PLAIN,   /* It asks without TLS, which is needed. */
	REFUSED_TLS,     /* Its handshake failed. */
	REFUSED_SLOW,    /* It is not over. */
	REFUSED_LINE,    /* It is too long. */
	REFUSED_ANSWER,  /* It does not read its answer. */
	CLIENT_REFUSALS,
};
extern const struct mc_refusal client_refusals[CLIENT_REFUSALS];

struct client_shared { /* The argument of the clients' listener. */
	struct mc_ctx *ctx;
	struct mc_tls_server tls;
	bool require_tls;
	mc_time spool;             /* How long ago it begins; 0: none. */
	_Atomic uint64_t requests; /* Reported by another thread. */
};

struct client {
	struct mc_stream_served base;
	mc_time turn_end; /* Then others have theirs. */
	struct text_client knows;
	struct graphs graphs;
	bool spooling; /* The answer to "spoolfetch" is not whole: */
	struct text_span span;
	size_t plugin, graph, field; /* it is at this field of this graph of this plugin. */
};

/* Clients that are left after 'timeout' without a request. */
struct mc_stream_kind client_kind(mc_time timeout);
