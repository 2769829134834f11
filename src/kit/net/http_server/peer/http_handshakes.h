/* SPDX-License-Identifier: MIT */
/* Handshakes of TLS: those that wait for their clients, and those that wait for their turn.
 *
 * libmicrohttpd (0.9.75, with epoll) takes a socket in a handshake for one that can be read until
 * the handshake is done, so it asks GnuTLS again and again while the client computes or stays
 * silent: a client that sends half a message would keep a core busy.  Here such a connection is
 * suspended until something has come.
 *
 * A full handshake costs as much as a hundred requests, and after a restart a whole fleet wants one
 * at once.  Handshakes have a share of the thread's time, and the rest of them wait in the order in
 * which they came: connections that exist go on as before.  A client that offers to resume a
 * session, which costs less, goes first, but for every fourth turn.  A client that has left loses
 * its turn, so that nothing is computed for it.
 *
 * Thread: the one that serves the connections. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include "kit/net/http_server/peer/http_pace.h"

struct http_watch_line;

struct http_handshake { /* Of a connection; zero, but for these three. */
	struct MHD_Connection *connection;
	struct http_watch_line *line;
	int fd;
	bool admitted;                        /* It has had its turn. */
	bool gone;                            /* The client has left before that. */
	struct http_handshake_list *list;     /* In which it is, or NULL. */
	struct http_handshake *next, *before; /* In that. */
};

struct http_handshake_list {
	struct http_handshake *first, *last;
};

struct http_handshake_counts {   /* Of a server. */
	_Atomic uint64_t queued; /* Handshakes that have waited for their turn. */
	_Atomic uint64_t left;   /* Those whose client has left meanwhile. */
};

struct http_handshakes { /* Of a thread. */
	int epoll_fd;    /* Readable when one can go on; -1: no handshake has waited yet. */
	bool ended;      /* No other one waits. */
	struct http_handshake_list silent;         /* For which nothing has come. */
	struct http_handshake_list full, resuming; /* That wait for their turn. */
	unsigned turns;
	struct http_pace pace;
	const struct http_handshake *working; /* On which the thread works, or NULL, */
	mc_time begun;                        /* since then, of its CPU time. */
	struct http_handshake_counts *counts;
};

/* 'share': of the thread's time for handshakes. */
void http_handshakes_init(struct http_handshakes *, struct http_handshake_counts *, double share);
void http_handshakes_done(struct http_handshakes *);

/* Before something of the client is read.  False: it has to wait, so nothing is to be read; the
 * connection is suspended. */
bool http_handshakes_begin(struct http_handshakes *, struct http_handshake *);

/* Suspends the connection of a handshake for which nothing has come, until something does. */
void http_handshakes_wait(struct http_handshakes *, struct http_handshake *);

/* It is over, as far as the client has to do with it. */
void http_handshakes_rest(struct http_handshakes *, const struct http_handshake *);

/* The connection ends. */
void http_handshakes_forget(struct http_handshakes *, const struct http_handshake *);

/* Lets those go on for which something has come, ... */
void http_handshakes_resume(struct http_handshakes *);

/* ... those whose turn it is, ... */
void http_handshakes_turn(struct http_handshakes *);

/* ... which is in that number of milliseconds, -1: none waits for it, ... */
int http_handshakes_timeout(const struct http_handshakes *);

/* ... or all, and none waits again: the server ends. */
void http_handshakes_end(struct http_handshakes *);
