/* SPDX-License-Identifier: MIT */
/* RFC 9110, sections 7.2 "Host", 9.1 for methods and 10.2.1 "Allow"; W3C, Fetch Metadata. */
#include "kit/net/http_server/http_route.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HOST_SIZE 256

static bool is_at(const struct mc_httpd_route *route, const char *path)
{
	size_t size = strlen(route->path);

	if (route->path[size - 1] == '/')
		return strncmp(route->path, path, size) == 0;
	return strcmp(route->path, path) == 0;
}

/* A GET without its body is a HEAD. */
static bool takes(const struct mc_httpd_route *route, const char *method)
{
	return strcmp(route->method, method) == 0 ||
	       (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

const struct mc_httpd_route *http_route_find(const struct mc_httpd_route *routes, const char *path,
					     const char *method, bool *known)
{
	*known = false;
	for (const struct mc_httpd_route *r = routes; r->path != NULL; r++) {
		if (!is_at(r, path))
			continue;
		*known = true;
		if (takes(r, method))
			return r;
	}
	return NULL;
}

/* Appends with "SEPARATOR" before it, unless it is the first. */
static void append(char *out, size_t size, const char *separator, const char *text)
{
	size_t used = strlen(out);

	snprintf(out + used, size - used, "%s%s", used > 0 ? separator : "", text);
}

static bool has_method(const char *list, const char *method)
{
	size_t size = strlen(method);

	for (const char *at = list; (at = strstr(at, method)) != NULL; at += size)
		if ((at == list || at[-1] == ' ') && (at[size] == '\0' || at[size] == ','))
			return true;
	return false;
}

static void append_method(char *out, size_t size, const char *method)
{
	if (!has_method(out, method))
		append(out, size, ", ", method);
}

void http_route_methods(const struct mc_httpd_route *routes, const char *path, char *out,
			size_t size)
{
	out[0] = '\0';
	for (const struct mc_httpd_route *r = routes; r->path != NULL; r++) {
		if (!is_at(r, path))
			continue;
		append_method(out, size, r->method);
		if (strcmp(r->method, "GET") == 0)
			append_method(out, size, "HEAD");
	}
}

void http_route_paths(const struct mc_httpd_route *routes, char *out, size_t size)
{
	const char *last = "";

	out[0] = '\0';
	for (const struct mc_httpd_route *r = routes; r->path != NULL; r++) {
		if (strcmp(r->path, last) != 0)
			append(out, size, " and ", r->path);
		last = r->path;
	}
}

/* --- Host ---------------------------------------------------------------- */

/* The host without its port, and without the brackets of an IPv6 address. */
static bool without_port(const char *host, char out[HOST_SIZE])
{
	bool bracket = host[0] == '[';
	size_t size = strcspn(host, bracket ? "]" : ":");

	if (size >= HOST_SIZE || (bracket && host[size] != ']'))
		return false;
	memcpy(out, host + bracket, size - bracket);
	out[size - bracket] = '\0';
	return size > 0;
}

static bool is_address(const char *host)
{
	unsigned char number[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, number) == 1 || inet_pton(AF_INET6, host, number) == 1;
}

bool http_route_host(const struct mc_strings *names, const char *host)
{
	char name[HOST_SIZE];

	if (names == NULL || host == NULL)
		return true; /* No browser leaves it out. */
	if (!without_port(host, name))
		return false;
	if (is_address(name) || strcasecmp(name, "localhost") == 0)
		return true;
	for (size_t i = 0; i < names->len; i++)
		if (strcasecmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* --- Other sites --------------------------------------------------------- */

bool http_route_site(const struct mc_httpd_route *route, const char *site, const char *destination)
{
	if (site == NULL || strcmp(site, "cross-site") != 0)
		return true;
	if (destination == NULL)
		return false;
	return strcmp(destination, "document") == 0 ||
	       (route->other_sites && strcmp(destination, "image") == 0);
}
