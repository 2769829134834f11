/* SPDX-License-Identifier: MIT */
/* A client of the node, most often Munin's master: its lines, and the answers.
 * Nothing waits; the thread of run(). */
#pragma once

#include <collector/kit/refusals.h>
#include <collector/kit/tls_stream.h>
#include <collector/plugin.h>

#include "text.h"

enum client_refusal {
	REFUSED_ADDRESS, /* It may not connect. */
	REFUSED_CLIENTS, /* There are too many. */
	REFUSED_PLAIN,   /* It asks without TLS, which is needed. */
	REFUSED_TLS,     /* Its handshake failed. */
	REFUSED_SLOW,    /* It is not over. */
	REFUSED_LINE,    /* It is too long. */
	REFUSED_ANSWER,  /* It does not read its answer. */
	CLIENT_REFUSALS,
};

struct client_shared {
	struct mc_ctx *ctx;
	struct mc_tls_server tls;
	bool require_tls;
	mc_time timeout;
	mc_time spool; /* How long ago it begins; 0: none. */
	/* Counted by the thread of run(), reported by another. */
	_Atomic uint64_t requests, clients;
	struct mc_refusals refusals;
};

extern const struct mc_refusal client_refusals[CLIENT_REFUSALS];

struct client {
	struct client_shared *shared;
	uint64_t from; /* mc_sender_limit_key() of its address. */
	struct mc_tls_stream stream;
	bool shaking; /* The handshake of TLS is under way. */
	bool leaves;  /* It is over when all is sent. */
	bool waits;   /* Lines of it do, until answers have been sent. */
	/* When something came or went last, or the handshake began; monotonic.
	 */
	mc_time seen;
	struct mc_buffer in, out;
	size_t in_used, out_used;
	struct text_client knows;
	struct graphs graphs;
	bool spooling; /* The answer to "spoolfetch" is not whole: */
	struct text_span span;
	const struct graphs_plugin *plugin; /* it is at this one's ... */
	size_t graph, field;                /* ... graph, and its field. */
};

struct client *client_new(struct client_shared *, int fd, uint64_t from);
void client_free(struct client *);

/* Somebody at that socket is refused; 'why' is a detail for the log, or NULL.
 */
void client_refuse(struct client_shared *, enum client_refusal, int fd, const char *why);

/* When it takes too long. */
mc_time client_due(const struct client *);

/* It took too long: refuses it, unless all that it asked has been answered. */
void client_late(struct client *);

/* The events of poll(2) it waits for. */
short client_events(const struct client *);

/* Does what can be done; false: it is over. */
bool client_work(struct client *);
