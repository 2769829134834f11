/* SPDX-License-Identifier: MIT */
/* The name of this host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

enum hostname {
	HOSTNAME_GOOD,
	HOSTNAME_UNKNOWN, /* The resolver does not know it, or hangs. */
	HOSTNAME_LOOPBACK /* It says the name of the loopback. */
};

/* The name the system has, or, with 'lookup', the full one that the resolver
 * knows for it if it answers within 'limit'.  Written to 'out'.  If it is not
 * HOSTNAME_GOOD, 'out' has the system's. */
enum hostname hostname_get(char *out, size_t size, bool lookup, mc_time limit);

/* Whether it is a name of the loopback, as "127.0.0.1 localhost vm" in /etc/hosts makes it the full
 * name of "vm": all hosts of a fleet would share it.  Pure. */
bool hostname_is_loopback(const char *name);
