/* SPDX-License-Identifier: MIT */
/* legacy: asks the kernel for tables of xtables, which iptables-legacy(8) sets, as libiptc does.
 * That needs CAP_NET_ADMIN. */
#pragma once

#include <collector/kit/buffer.h>

#include "legacy_table.h"

struct legacy {
	int sockets[2]; /* Of IPv4 and IPv6, plus one, so that zero means none. */
	struct mc_buffer answer;
};

/* Reads a table, which is there until the next call.  Returns 0 or a negative errno: -ENOENT if the
 * kernel has none of that name, -E2BIG if it has more than 128 MiB, -EAGAIN if it was replaced each
 * time. */
int legacy_read(struct legacy *, bool is_v6, const char *name, struct legacy_table *table);

void legacy_done(struct legacy *);
