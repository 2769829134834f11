/* SPDX-License-Identifier: MIT */
/* The other end: a connection to the collector's unix socket, one question and
 * its answer at a time, or the stream of TAP. */
#ifndef COLLECTOR_CTL_PEER_H
#define COLLECTOR_CTL_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

struct peer {
	int fd;
	char *buffer; /* Received: buffer[start..end). */
	size_t start, end, room;
};

struct answer {
	long status;   /* Below zero: it failed, and 'message' says why. */
	char *message; /* What follows the number of the first line. */
	char **lines;  /* The lines after it, without newlines. */
	size_t len;
};

/* 0 or -errno.  peer_close() is due after success only. */
int peer_open(struct peer *, const char *path);
/* Takes over a connected socket. */
void peer_init(struct peer *, int fd);
void peer_close(struct peer *);

/* Sends a line, to which a newline is added.  0 or -errno. */
int peer_send(struct peer *, const char *line);

/* The next answer to what was sent; free it with answer_done().  0, -errno, or
 * -EPROTO if the other end does not speak the protocol. */
int peer_answer(struct peer *, struct answer *);
void peer_answer_done(struct answer *);

/* Both. */
int peer_ask(struct peer *, const char *line, struct answer *);

/* The next line of the stream without its newline, valid until the next call;
 * NULL, and *status 0 or -errno, at its end.  Waits for no more than
 * 'timeout_ms' (-1: for ever): NULL and -ETIMEDOUT. */
char *peer_line(struct peer *, int timeout_ms, int *status);

#endif
