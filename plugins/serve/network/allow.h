/* SPDX-License-Identifier: MIT */
/* Networks from which packets are taken that are not signed. */
#pragma once

#include <sys/socket.h>

#include <collector/plugin.h>

struct allow_network {
	unsigned char bytes[16]; /* IPv4 as ::ffff:0:0/96. */
	unsigned bits;
};

struct allow {
	struct allow_network *networks;
	size_t len;
};

/* From "192.0.2.0/24", "2001:db8::/32", "192.0.2.1".  Returns 0, or what
 * mc_fail() returned; allow_stop() is due in any case. */
int allow_start(struct allow *, struct mc_ctx *, const struct mc_strings *);
void allow_stop(struct allow *);

/* Whether it is a text that allow_start() takes. */
bool allow_is_network(const char *text);

bool allow_has(const struct allow *, const struct sockaddr_storage *);
