/* SPDX-License-Identifier: MIT */
/* The other end: a connection to the collector's unix socket, one question and
 * its answer at a time, or the stream of TAP.  Who is there is not believed:
 * every wait has an end, lines and answers have a limit, and what a terminal
 * would obey (control characters) is '?'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <collector/plugin.h>

#define PEER_LINE_MAX ((size_t)1 << 20)    /* Bytes of a line. */
#define PEER_ANSWER_MAX ((size_t)16 << 20) /* Bytes that an answer takes. */
#define PEER_NAMES_MAX ((size_t)64 << 20)  /* One of names: a million series. */

struct peer {
	int fd;
	mc_time timeout;   /* How long an answer, or its next line, may take. */
	size_t answer_max; /* Bytes that an answer may take: PEER_ANSWER_MAX, until it is set. */
	char *buffer;      /* Received: buffer[start..end). */
	size_t start, end, room;
};

struct answer {
	long status;   /* Below zero: it failed, and 'message' says why. */
	char *message; /* The text after the number of the first line. */
	char **lines;  /* The lines after it, without newlines; they are in 'text'. */
	size_t len;
	char *text;
	size_t size; /* Bytes of 'text'. */
};

/* 0 or -errno; -ETIMEDOUT without an accept. peer_close() is due after success only. */
int peer_open(struct peer *, const char *path, mc_time timeout);
/* Takes over a connected socket. */
void peer_init(struct peer *, int fd, mc_time timeout);
void peer_close(struct peer *);

/* The process that listens there; 0 if that is not known. */
pid_t peer_process(const struct peer *);

/* Sends a line, to which a newline is added.  0 or -errno. */
int peer_send(struct peer *, const char *line);

/* The next answer to a request; free it with peer_answer_done().  0, -errno, -EPROTO if the other
 * end does not speak the protocol, -ETIMEDOUT if it stalls, -EMSGSIZE if it does not end. */
int peer_answer(struct peer *, struct answer *);
void peer_answer_done(struct answer *);

/* Both. */
int peer_ask(struct peer *, const char *line, struct answer *);

/* The next line of the stream without its newline, valid until the next call;
 * NULL, and *status 0 or -errno, at its end.  Waits for no more than
 * 'timeout_ms' for each part of it (-1: for ever): NULL and -ETIMEDOUT. */
char *peer_line(struct peer *, int timeout_ms, int *status);
