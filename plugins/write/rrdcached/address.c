/* SPDX-License-Identifier: MIT */
#include "address.h"

#include <stddef.h>
#include <string.h>
#include <sys/un.h>

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
