/* SPDX-License-Identifier: MIT */
/* A Graphite that lines go to: a connection, or datagrams, and the lines that it has not taken yet.
 *
 * Nothing here waits.  By TCP a line stays until the peer's kernel has acknowledged it (tcp(7),
 * SIOCOUTQ), and is sent again on the next connection if this one breaks before; what a Graphite
 * that is killed has not read by then is lost, for its protocol has no answers.
 *
 * One thread at a time; counts: any. */
#pragma once

#include <poll.h>
#include <stdatomic.h>

#include <collector/kit/backoff.h>
#include <collector/kit/buffer.h>
#include <collector/kit/lookup.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "formats/graphite/graphite_path.h"

struct node_options { /* A block Node. */
	const char *name, *host, *port;
	int protocol; /* enum node_protocol */
	bool log_errors, store_rates, append_source;
	struct mc_graphite_options path;
	mc_time reconnect_interval; /* 0: none. */
};

enum node_protocol { NODE_TCP, NODE_UDP };

struct node_counts { /* Lines. */
	_Atomic uint64_t sent, dropped;
	_Atomic uint64_t waiting; /* Bytes. */
};

struct node {
	const struct node_options *options;
	struct mc_ctx *ctx;
	bool speaks; /* Its end, and that it is back, are logged by itself. */
	int fd;      /* -1: none. */
	int watched; /* 'fd' as run() waits for it; -1: it does not yet. */
	bool connecting;
	struct mc_lookup lookup; /* Of the host. */
	mc_time deadline;        /* To be found, or connected, by then. */
	/* The lookup runs, or the kernel has no room for a datagram, of which
	 * poll(2) says nothing: to look again; 0: neither. */
	mc_time pause_until;
	mc_time connected_at; /* Monotonic. */
	struct mc_backoff backoff;
	struct mc_once once;
	char why[160]; /* It is away; "": it is not. */

	/* Whole lines: 'sent' bytes are with the kernel, the others wait. */
	struct mc_buffer out;
	size_t sent;
	size_t limit; /* Bytes of 'out'; SIZE_MAX: any. */
	struct node_counts counts;
};

void node_init(struct node *, struct mc_ctx *, const struct node_options *, size_t limit);
void node_done(struct node *);

/* Bytes of lines that wait to be sent. */
static inline size_t node_waiting(const struct node *node)
{
	return node->out.size - node->sent;
}

/* Has room for 'size' bytes at the end of node->out, by giving up the oldest
 * lines if it must: node->counts.dropped. */
void node_reserve(struct node *, size_t size);

/* Connects, if it is time to; sends what the kernel takes.  Whether nothing waits any more. */
bool node_push(struct node *, mc_time now);

/* Whether there is a connection, or the host is looked up for one. */
static inline bool node_is_trying(const struct node *node)
{
	return node->fd >= 0 || mc_lookup_runs(&node->lookup);
}

/* When node_push() is to be called at the latest, as mc_now() counts;
 * INT64_MAX: nothing waits, or what node_events() says will come first. */
mc_time node_due(const struct node *);

/* The events for poll(2), also the end of a connection whose lines the peer has not acknowledged:
 * fd -1 if time alone helps. */
struct pollfd node_events(const struct node *);
