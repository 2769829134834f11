/* SPDX-License-Identifier: MIT */
/* The peer's end of a connection with the plugin, or of a socket for datagrams.
 * Whatever fails is in the outcome of the case. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct connection;
struct secrets;

enum connection_end {
	CONNECTION_CLOSE, /* Both directions, in order. */
	CONNECTION_SHUT,  /* Nothing more is sent. */
	CONNECTION_CUT,   /* TCP is reset. */
};

/* Takes over a socket.  'number' is shown, from 1.  'secrets': TLS begins on
 * it, as server or client; NULL: it does not. */
struct connection *connection_new(int fd, unsigned number, const struct secrets *secrets,
				  bool server);
void connection_free(struct connection *);

/* Sends all, or prints why it cannot.  To a plugin that does not read, as much as it takes. */
void connection_send(struct connection *, const char *bytes, size_t size, FILE *out);

/* Prints what has come, but no more than the kernel had kept; false: nothing
 * had.  A deaf one takes nothing. */
bool connection_take(struct connection *, FILE *out);
void connection_set_deaf(struct connection *, bool deaf);

void connection_end(struct connection *, enum connection_end);
