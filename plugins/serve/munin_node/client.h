/* SPDX-License-Identifier: MIT */
/* A client of the node, most often Munin's master: its lines, and the answers.
 * Nothing waits; the thread of run(). */
#ifndef MUNIN_NODE_CLIENT_H
#define MUNIN_NODE_CLIENT_H

#include <collector/kit/tls_stream.h>
#include <collector/plugin.h>

#include "text.h"

struct client_shared {
	struct mc_ctx *ctx;
	struct mc_tls_server tls;
	bool require_tls;
	mc_time spool; /* How long ago it begins; 0: there is none. */
	uint64_t requests, refused;
};

struct client {
	struct client_shared *shared;
	struct mc_stream stream;
	bool shaking; /* The handshake of TLS is under way. */
	bool leaves;  /* It is over when all is sent. */
	bool waits;   /* Lines of it do, until answers have been sent. */
	mc_time seen; /* When something came last; monotonic. */
	struct mc_buffer in, out;
	size_t in_used, out_used;
	struct text_client knows;
	struct graphs graphs;
	bool spooling; /* The answer to "spoolfetch" is not whole: */
	struct text_span span;
	const struct graphs_plugin *plugin; /* it is at this one's ... */
	size_t graph, field;                /* ... graph, and its field. */
};

struct client *client_new(struct client_shared *, int fd);
void client_free(struct client *);

/* What of poll(2) it waits for. */
short client_events(const struct client *);

/* Does what can be done; false: it is over. */
bool client_work(struct client *);

#endif
