/* SPDX-License-Identifier: MIT */
/* Which route a request is for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/http_server.h>

/* The first of the routes that is for it; NULL: none. '*known' says whether
 * there is one with another method. */
const struct mc_httpd_route *http_route_find(const struct mc_httpd_route *, const char *path,
					     const char *method, bool *known);

/* The methods of that path as Allow has them, "GET, HEAD, POST"; cut. */
void http_route_methods(const struct mc_httpd_route *, const char *path, char *out, size_t size);

/* The paths of all routes, "/a and /b"; cut. */
void http_route_paths(const struct mc_httpd_route *, char *out, size_t size);

/* Whether it may be asked for by this Host, which may be NULL. */
bool http_route_host(const struct mc_strings *names, const char *host);

/* Whether it may be asked for by that page: Sec-Fetch-Site and -Dest, which may be NULL. */
bool http_route_site(const struct mc_httpd_route *, const char *site, const char *destination);
