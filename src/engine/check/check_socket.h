/* SPDX-License-Identifier: MIT */
/* Finds the process at a port of this host: /proc/net/tcp and so on, proc(5). */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "engine/check/check_process.h"

/* Whether a process has the port of 'address', so that a socket of that type
 * could not be bound to it; 'owner' has pid 0 if it cannot be seen which. */
bool check_socket_taken(const struct sockaddr *address, int type, struct check_process *owner);

/* The same for a unix socket: whether a process listens at that path.  False if that process
 * cannot be seen. */
bool check_socket_path_taken(const char *path, struct check_process *owner);
