/* SPDX-License-Identifier: MIT */
/* Who has a port of this host: /proc/net/tcp and so on, proc(5). */
#ifndef COLLECTOR_ENGINE_CHECK_CHECK_SOCKET_H
#define COLLECTOR_ENGINE_CHECK_CHECK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Whether a process other than a collector has the port of 'address', so that
 * a socket of that type could not be bound to it.  Then 'who' says which:
 * "process 12 (nginx)", or "" if that cannot be seen. */
bool check_socket_taken(const struct sockaddr *address, int type, char *who,
			size_t who_size);

/* Likewise of a unix socket: whether a process other than a collector listens
 * at that path.  False if it cannot be seen who does. */
bool check_socket_path_taken(const char *path, char *who, size_t who_size);

#endif
