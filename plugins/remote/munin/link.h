/* SPDX-License-Identifier: MIT */
/* The way to a node: a connection, with TLS or without, or a program.  Lines go
 * both ways.  Nothing here waits; the thread of run(). */
#pragma once

#include <collector/kit/spawn.h>
#include <collector/kit/stream_client.h>
#include <collector/kit/tls_stream.h>
#include <collector/plugin.h>

#include "settings.h"

struct link;

struct link_calls { /* Each may close the link, and open it again. */
	void (*opened)(struct link *);
	void (*line)(struct link *, char *line);

	/* It could not be opened, or has ended: it is closed. */
	void (*failed)(struct link *, const char *why);
};

struct link {
	struct mc_stream_client client; /* Of a node that is no program. */
	const struct link_calls *calls;
	const struct node_settings *settings;
	struct mc_ctx *ctx;
	struct mc_spawner **spawner;
	struct mc_tls *tls;     /* Made when it is needed. */
	struct mc_child *child; /* NULL: no program runs. */
	bool killed;            /* The program is, but has not ended yet. */
	bool open;              /* Or it is being opened. */
};

void link_init(struct link *, struct mc_stream_room *, const struct node_settings *);
void link_done(struct link *);

/* Begins to connect, or starts the program. */
void link_open(struct link *);

/* The node answers. */
void link_works(struct link *);

/* Sends a line, its '\n' included; a rest that cannot be sent at once waits. */
void link_send(struct link *, const char *text);

/* Begins TLS, to which the other side has agreed, as its server or client.  Lines wait for the
 * handshake from now on.  False: it has failed, and the link is closed. */
bool link_start_tls(struct link *, bool as_server);

void link_close(struct link *);

/* The spawner is no more. */
void link_forget_program(struct link *);
