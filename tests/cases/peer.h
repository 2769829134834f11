/* SPDX-License-Identifier: MIT */
/* The other side of a socket, as a case's file "peer" tells it, a step a line:
 *
 *   listen unix|tcp     waits for the plugin; after the last of these steps
 *                       nobody listens any more
 *   connect unix|tcp    to the plugin, as soon as it listens
 *   send TEXT           and a newline
 *   receive             one line, which is in the outcome
 *   # ...               nothing
 *
 * In the case's conf, @socket@ is the path of the unix socket and @port@ the
 * TCP port on 127.0.0.1.  At its end the peer sends no more, and shows what
 * comes until the plugin closes the connection.  What takes longer than
 * PEER_LIMIT_MS of real time is given up, which is in the outcome. */
#ifndef COLLECTOR_TESTS_PEER_H
#define COLLECTOR_TESTS_PEER_H

#include <stdbool.h>
#include <stdio.h>

#define PEER_LIMIT_MS 10000

struct peer;

/* NULL if the folder has no such file.  A mistake in it ends the program. */
struct peer *peer_new(const char *folder);

/* The text of a conf with the peer's place in it; freed by the caller. */
char *peer_fill(const struct peer *, const char *conf);

/* Steps are taken by a thread of the peer's own. */
void peer_start(struct peer *);

/* Whether it connects: all its steps are then over before the first read. */
bool peer_connects(const struct peer *);

/* Waits for its end; and also prints what it has received, once. */
void peer_wait(struct peer *);
void peer_finish(struct peer *, FILE *out);

/* The text with the peer's place taken out of it, in place. */
void peer_hide(const struct peer *, char *text);

void peer_free(struct peer *); /* NULL is fine. */

#endif
