/* SPDX-License-Identifier: MIT */
/* What a case may use of this machine: free ports and a folder that is removed
 * at its end.  In its files they have names:
 *
 *   @port@ @port2@ ... @port4@      ports of 127.0.0.1, for TCP and UDP
 *   @folder@                        the folder, empty at first
 *   @socket@ @socket2@ ...          paths of unix sockets in it
 *   @case@                          the folder of the case's own files
 *   @root@                          what the plugin finds below "/"
 *   @client@                        the port of a client, only in what is shown
 *   @user@                          a user that programs may run as, not root
 */
#pragma once

#define PLACES_MAX 4

struct places;

/* Of the case in 'folder'.  What fails ends the program. */
struct places *places_new(const char *folder);
void places_free(struct places *);
void places_set_root(struct places *, const char *root);

/* The port that the kernel has given to a client; of many the newest count. */
void places_add_client(struct places *, unsigned port);

const char *places_folder(const struct places *);
const char *places_case(const struct places *);
unsigned places_port(const struct places *, unsigned n);               /* From 1. */
void places_socket(const struct places *, unsigned n, char path[108]); /* From 1. */

/* The text with places instead of their names; freed by the caller. */
char *places_fill(const struct places *, const char *text);

/* The text with names instead of places; freed by the caller.  A port is one
 * after ':', a quote or "port ". */
char *places_hide(const struct places *, const char *text);
