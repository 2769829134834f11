/* SPDX-License-Identifier: MIT */
/* Addresses of rrdcached, as its -l option takes them: unix:/path, /path, host,
 * host:port, [address]:port. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#define ADDRESS_PORT "42217"

struct address {
	const char *text; /* As configured. */
	bool local;       /* A unix socket; */
	const char *path; /* its path, part of 'text'. */
	char host[256];
	char port[32];
};

/* 'text' must live as long; false if it is invalid.  Pure. */
bool address_parse(struct address *, const char *text);

struct address_target {
	struct sockaddr_storage socket;
	socklen_t size;
};

/* Where to connect to at the 'attempt'th time, for a name may have several
 * addresses.  A name is looked up for a second at most.  0, or a negative
 * errno; -ENOENT: there is no such host. */
int address_find(struct mc_ctx *, const struct address *, unsigned attempt,
		 struct address_target *);
