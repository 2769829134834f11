/* SPDX-License-Identifier: MIT */
/* The socket file: who may connect, and what to do with one that lies there
 * already. */
#ifndef UNIXSOCK_LISTEN_H
#define UNIXSOCK_LISTEN_H

#include <collector/plugin.h>

struct listen_options {
	const char *path;
	const char *group; /* NULL: "collectd", if there is such a group. */
	const char *perms; /* Octal. */
	bool delete_socket;
};

/* Whether 'text' is right for 'perms'. */
bool listen_takes_perms(const char *text);

/* A listening, non-blocking socket, or what mc_fail() returned. */
int listen_open(struct mc_ctx *, const struct listen_options *);

/* Closes it and removes its file, unless that is another's by now. */
void listen_close(int fd, const char *path);

#endif
