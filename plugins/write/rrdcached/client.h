/* SPDX-License-Identifier: MIT */
/* A connection to rrdcached as a state machine that never blocks: away, on its
 * way, up.  After a failure it waits, ever longer and for a random part of the
 * time, before it tries again.  Used by one thread. */
#pragma once

#include <poll.h>
#include <sys/uio.h>

#include "address.h"
#include "reply.h"

enum client_state { CLIENT_AWAY, CLIENT_CONNECTING, CLIENT_UP };

enum { CLIENT_PIECES_MAX = 12 };

struct client {
	enum client_state state;
	int fd;
	mc_time timeout;  /* For a connection, and between signs of life. */
	mc_time retry_at; /* When away. */
	mc_time delay;    /* To the next attempt but one. */
	mc_time deadline; /* When something is expected. */
	unsigned attempts;
	uint64_t random;
	uint64_t expected;                   /* Replies that have not come. */
	struct iovec out[CLIENT_PIECES_MAX]; /* Pieces to be sent. */
	unsigned out_len;
	bool blocked; /* There was no room for all of it. */
	struct reply reply;
};

void client_init(struct client *, mc_time timeout, uint64_t seed);
void client_done(struct client *);

/* Starts to connect.  This and the functions below return a negative errno when
 * there is no connection: client_fail() must then be called. */
int client_connect(struct client *, const struct address_target *, mc_time now);

/* Hangs up, and waits before the next attempt. */
void client_fail(struct client *, mc_time now);

/* Adds a piece to the output; the text must stay where it is until all is sent or the connection
 * is gone.  The second sets the number of replies that will answer the added text. */
void client_put(struct client *, const char *text, size_t size);
void client_expect(struct client *, uint64_t replies, mc_time now);

/* The events to wait for, and until when; INT64_MAX: for ever. */
short client_events(const struct client *);
mc_time client_wake(const struct client *);

/* Does what poll(2) says can be done.  1: it is now up; 0; or a negative errno,
 * of which -ETIMEDOUT means that an answer did not come in time. */
int client_send(struct client *, short revents, mc_time now);

/* Reads what is there; the size, 0 if there is nothing, or a negative errno;
 * -EPIPE: the peer has hung up. */
ssize_t client_receive(struct client *, char *bytes, size_t size, mc_time now);

/* A reply is complete: one fewer is expected; false if none was. */
bool client_answered(struct client *);
