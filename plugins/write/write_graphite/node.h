/* SPDX-License-Identifier: MIT */
/* A Graphite that lines go to: a connection, or datagrams, and the lines that it has not taken yet.
 *
 * Nothing here waits.  By TCP a line stays until the peer's kernel has acknowledged it (tcp(7),
 * SIOCOUTQ), and is sent again on the next connection if this one breaks before; what a Graphite
 * that is killed has not read by then is lost, for its protocol has no answers.
 *
 * The loop's thread; counts: any. */
#pragma once

#include <stdatomic.h>

#include <collector/kit/once.h>
#include <collector/kit/stream_client.h>
#include <collector/plugin.h>

#include "backlog.h"
#include "datagrams.h"
#include "formats/graphite/graphite_path.h"

struct node_options { /* A block Node. */
	const char *name, *host, *port;
	int protocol; /* enum node_protocol */
	bool log_errors, store_rates, append_source;
	bool foreign_names; /* Of metrics that have one. */
	struct mc_graphite_options path;
	mc_time reconnect_interval; /* 0: none. */
};

enum node_protocol { NODE_TCP, NODE_UDP };

struct node {
	const struct node_options *options;
	struct mc_ctx *ctx;
	bool speaks; /* Its end, and that it is back, are logged by itself. */
	struct mc_once once;
	char why[512]; /* It is away; "": it is not. */

	struct backlog backlog;
	_Atomic uint64_t waiting; /* Bytes, as of the last node_push(). */

	struct mc_stream_client client; /* NODE_TCP */
	bool up;
	mc_time opened_at;

	struct datagrams datagrams; /* NODE_UDP */
};

/* The node must not move.  'limit': see struct backlog. */
void node_init(struct node *, struct mc_ctx *, const struct node_options *,
	       struct mc_stream_room *room, size_t limit);
void node_done(struct node *);

/* Bytes of lines that are not with the kernel. */
static inline size_t node_waiting(const struct node *node)
{
	return backlog_waiting(&node->backlog) + mc_stream_unsent(&node->client.stream);
}

/* Has room for 'size' bytes at the end of the lines, by giving up the oldest if it must. */
void node_reserve(struct node *, size_t size);

/* Sends what the kernel takes, and the rest in rounds of the loop, which also connect.
 * Whether nothing waits any more. */
bool node_push(struct node *);

/* Whether there is a connection, or may be one without a pause. */
bool node_is_trying(const struct node *);
