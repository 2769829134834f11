/* SPDX-License-Identifier: MIT */
/* What this host is called. */
#ifndef COLLECTOR_DAEMON_HOSTNAME_H
#define COLLECTOR_DAEMON_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

/* The name the system has, or, with 'lookup', the full one that the resolver
 * knows for it if it answers within 'limit'.  Written to 'out'.  Returns false
 * if it was to be looked up and could not be: 'out' then has the system's. */
bool hostname_get(char *out, size_t size, bool lookup, mc_time limit);

#endif
