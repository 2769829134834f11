/* SPDX-License-Identifier: MIT */
/* Addresses of rrdcached, as its -l option takes them: unix:/path, /path, host,
 * host:port, [address]:port. */
#pragma once

#include <stdbool.h>

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
