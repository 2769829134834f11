/* SPDX-License-Identifier: MIT */
/* collector/private/hostname.h - a plugin that names this host.
 *
 * Beside its descriptor its object has a second constant:
 *
 *   MC_HOSTNAME(uuid) = { .find = uuid_find };
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_hostname {
	/* Finds the name of this host and writes it to 'out'.  Called once, when options are filled
	 * in and nothing has started, and nowhere else.  After a failure the host has the name that
	 * it has without the plugin.  Thread: the main one's. */
	int (*find)(struct mc_ctx *ctx, char *out, size_t size);
};

/* The constant's symbol carries the plugin's name. */
#define MC_HOSTNAME(ident)                                                                         \
	extern const struct mc_hostname mc_hostname_##ident;                                       \
	__attribute__((visibility("default"))) const struct mc_hostname mc_hostname_##ident

#pragma GCC visibility pop
