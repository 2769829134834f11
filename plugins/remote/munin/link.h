/* SPDX-License-Identifier: MIT */
/* The way to a node: a connection, with TLS or without, or a program.  Lines go
 * both ways.  Nothing here waits; the thread of run(). */
#pragma once

#include <netdb.h>

#include <collector/kit/lookup.h>
#include <collector/kit/spawn.h>
#include <collector/kit/tls_stream.h>
#include <collector/plugin.h>

#include "settings.h"

#define LINK_LINE_MAX 65536 /* Bytes of a line of a node. */
#define LINK_WHY 400        /* Bytes of a reason, with '\0'. */

enum link_state {
	LINK_CLOSED,
	LINK_ENDING, /* The program of the time before still is. */
	LINK_LOOKUP, /* Of its address. */
	LINK_CONNECTING,
	LINK_HANDSHAKE, /* Of TLS. */
	LINK_OPEN,
};

struct link {
	const struct node_settings *settings;
	struct mc_ctx *ctx;
	int epoll;
	void *owner; /* From epoll_wait(2). */
	struct mc_spawner **spawner;

	enum link_state state;
	struct mc_lookup lookup;
	struct mc_tls_stream stream;
	struct mc_tls *tls; /* Made when it is needed. */
	struct mc_child *child;
	bool ended; /* The program, or the other side. */
	struct mc_buffer in, out;
	size_t in_used, out_used;
	unsigned events; /* That epoll waits for. */
	char why[LINK_WHY];
};

void link_init(struct link *, struct mc_ctx *, const struct node_settings *);
void link_done(struct link *);

/* All functions below return 0, or a negative errno with 'why' in the link;
 * the caller then closes it. */

/* Begins to connect. */
int link_open(struct link *);

/* Goes on with what can be done now: connects, receives, sends. */
int link_work(struct link *);

/* The next line that has come, ended by '\0', or NULL if it is not complete yet. */
char *link_line(struct link *);

/* Whether link_line() will return nothing more. */
static inline bool link_has_ended(const struct link *link)
{
	return link->ended && link->in_used == link->in.size;
}

/* Sends a line, its '\n' included; a rest that cannot be sent at once waits. */
int link_send(struct link *, const char *text);

/* The other side has agreed to TLS: it is the server, or we are. */
int link_start_tls(struct link *, bool as_server);

/* Nothing is asked for some time: gives back memory that is not in use. */
void link_rest(struct link *);

void link_close(struct link *);

/* The spawner is no more. */
void link_forget_program(struct link *);
