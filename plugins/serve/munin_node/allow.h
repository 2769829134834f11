/* SPDX-License-Identifier: MIT */
/* The allowed clients: addresses, and networks such as "192.0.2.0/24".  Pure. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include <collector/plugin.h>

/* Whether it is an address or a network. */
bool allow_is_sound(const char *text);

/* Whether the address is, or is in, one of them.  Addresses of IPv4 that came
 * by a socket of IPv6 are those of IPv4. */
bool allow_has(const struct mc_strings *, const struct sockaddr_storage *);
