/* SPDX-License-Identifier: MIT */
/* Several sockets for datagrams at one port, all of this process: one at each
 * address, and one at all others. */
#pragma once

#include <sys/socket.h>

/* Binds a socket whose port is in use: if this process has it, at another address. No other process
 * can share the port then or later.  0, -EADDRINUSE, or another negative errno. */
int share_port_bind(int fd, const struct sockaddr_storage *);
