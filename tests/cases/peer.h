/* SPDX-License-Identifier: MIT */
/* What is at the other end of a plugin's sockets: a server, clients, or both,
 * which do what the steps of a case say.  CONTRIBUTING.md lists the steps.
 *
 * Nothing here waits, but for the plugin to have done all that it can. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct peer;
struct places;

/* 'places' outlives it. */
struct peer *peer_new(struct places *places);
void peer_free(struct peer *);

/* Does one step, whose words follow the first; prints what fails.  False: there is no such step. */
bool peer_step(struct peer *, const char *verb, char *words, FILE *out);

/* Accepts connections, and prints what the plugin has sent; false: nothing has come. */
bool peer_take(struct peer *, FILE *out);

/* Makes the files of secrets.h now, before a connection needs them. */
void peer_make_certificates(struct peer *);

/* Closes all. */
void peer_leave(struct peer *);
