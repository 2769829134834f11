/* SPDX-License-Identifier: MIT */
/* Web servers in front, and the clients that ask by way of them: X-Forwarded-For, to which each
 * server adds the address that it was asked from, at the end.  Pure functions. */
#pragma once

#include <stdbool.h>

#include <collector/kit/http_server.h>

/* Whether an address, as struct mc_httpd_peer has it, is that of a server in front; NULL: no
 * server is trusted. */
bool http_proxy_is_trusted(const struct mc_strings *trusted, const char *address);

/* Whether a value of the option can be one. */
bool http_proxy_is_valid(const char *value);

/* The last address in 'header' that is not of a server in front, as a key of limits: the address,
 * or its network in IPv6.  False, and nothing changes: it has none. */
bool http_proxy_client(const struct mc_strings *trusted, const char *header,
		       char client[MC_HTTPD_NAME_SIZE]);
