/* SPDX-License-Identifier: MIT */
#include "address.h"

#include <collector/kit/timed_call.h>

#include <errno.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include <collector/kit/alloc.h>

static const mc_time lookup_limit = MC_SECOND;

static bool copy_part(char *out, size_t size, const char *text, size_t length)
{
	if (length == 0 || length >= size)
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

static bool parse_local(struct address *address, const char *path)
{
	struct sockaddr_un socket;

	address->local = true;
	address->path = path;
	return path[0] != '\0' && strlen(path) < sizeof(socket.sun_path);
}

bool address_parse(struct address *address, const char *text)
{
	const char *end, *port = ADDRESS_PORT;

	*address = (struct address){ .text = text };
	if (strncmp(text, "unix:", 5) == 0)
		return parse_local(address, text + 5);
	if (text[0] == '/')
		return parse_local(address, text);
	if (text[0] == '[') {
		end = strchr(++text, ']');
		if (end == NULL || (end[1] != ':' && end[1] != '\0'))
			return false;
		if (end[1] == ':')
			port = end + 2;
	} else {
		end = strchr(text, ':');
		/* More than one colon: an IPv6 address, and no port. */
		if (end == NULL || strchr(end + 1, ':') != NULL)
			end = text + strlen(text);
		else
			port = end + 1;
	}
	return copy_part(address->host, sizeof(address->host), text, (size_t)(end - text)) &&
	       copy_part(address->port, sizeof(address->port), port, strlen(port));
}

/* --- Names of hosts --------------------------------------------------- */

struct lookup {
	char host[256], port[32];
	int flags; /* Of getaddrinfo(3). */
	unsigned attempt;
	struct address_target target;
};

static int error_of(int code)
{
	if (code == EAI_SYSTEM)
		return -errno;
	return code == EAI_AGAIN || code == EAI_MEMORY ? -EAGAIN : -ENOENT;
}

static int look_up(void *argument)
{
	struct lookup *lookup = argument;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = lookup->flags };
	struct addrinfo *list, *chosen;
	unsigned len = 0;
	int code = getaddrinfo(lookup->host, lookup->port, &hints, &list);

	if (code != 0)
		return error_of(code);
	for (chosen = list; chosen != NULL; chosen = chosen->ai_next)
		len++;
	chosen = list;
	for (unsigned i = lookup->attempt % len; i > 0; i--)
		chosen = chosen->ai_next;
	memcpy(&lookup->target.socket, chosen->ai_addr, chosen->ai_addrlen);
	lookup->target.size = chosen->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

static int find_host(struct mc_ctx *ctx, const struct address *address, unsigned attempt,
		     struct address_target *target)
{
	struct lookup *lookup = mc_alloc_zero(sizeof(*lookup));
	int rc;

	memcpy(lookup->host, address->host, sizeof(lookup->host));
	memcpy(lookup->port, address->port, sizeof(lookup->port));
	lookup->attempt = attempt;
	lookup->flags = AI_NUMERICHOST; /* Needs no name service. */
	rc = look_up(lookup);
	if (rc == -ENOENT) {
		lookup->flags = AI_ADDRCONFIG;
		rc = mc_timed_call(ctx, lookup_limit, look_up, lookup);
	}
	if (rc == -ETIMEDOUT)
		return rc; /* It is freed when the call ends. */
	if (rc == 0)
		*target = lookup->target;
	free(lookup);
	return rc;
}

int address_find(struct mc_ctx *ctx, const struct address *address, unsigned attempt,
		 struct address_target *target)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX };

	if (!address->local)
		return find_host(ctx, address, attempt, target);
	memcpy(local.sun_path, address->path, strlen(address->path));
	memcpy(&target->socket, &local, sizeof(local));
	target->size = sizeof(local);
	return 0;
}
