/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/peer/http_proxy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define LOCAL "local" /* A peer by a unix socket. */

/* An address, IPv4 as such where IPv6 wraps it. */
struct address {
	int family;
	unsigned char bytes[16];
};

static bool parse(const char *text, struct address *out)
{
	static const unsigned char wrapped[12] = { [10] = 0xff, [11] = 0xff };

	memset(out, 0, sizeof(*out));
	out->family = AF_INET;
	if (inet_pton(AF_INET, text, out->bytes) == 1)
		return true;
	out->family = AF_INET6;
	if (inet_pton(AF_INET6, text, out->bytes) != 1)
		return false;
	if (memcmp(out->bytes, wrapped, sizeof(wrapped)) == 0) {
		out->family = AF_INET;
		memmove(out->bytes, out->bytes + 12, 4);
		memset(out->bytes + 4, 0, 12);
	}
	return true;
}

static bool is_equal(const char *text, const struct address *address)
{
	struct address other;

	return parse(text, &other) && other.family == address->family &&
	       memcmp(other.bytes, address->bytes, sizeof(other.bytes)) == 0;
}

static bool trusts(const struct mc_strings *trusted, const struct address *address)
{
	for (size_t i = 0; i < trusted->len; i++)
		if (is_equal(trusted->items[i], address))
			return true;
	return false;
}

bool http_proxy_is_trusted(const struct mc_strings *trusted, const char *text)
{
	struct address address;

	if (trusted == NULL)
		return false;
	if (parse(text, &address))
		return trusts(trusted, &address);
	for (size_t i = 0; i < trusted->len; i++)
		if (strcmp(trusted->items[i], LOCAL) == 0)
			return strcmp(text, LOCAL) == 0;
	return false;
}

bool http_proxy_is_valid(const char *value)
{
	struct address address;

	return strcmp(value, LOCAL) == 0 || parse(value, &address);
}

/* The text between 'from' and 'to', without blanks; false if it is no address. */
static bool parse_part(const char *from, const char *to, struct address *out)
{
	char text[INET6_ADDRSTRLEN];
	size_t size;

	while (from < to && (*from == ' ' || *from == '\t'))
		from++;
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	size = (size_t)(to - from);
	if (size >= sizeof(text))
		return false;
	memcpy(text, from, size);
	text[size] = '\0';
	return parse(text, out);
}

bool http_proxy_client(const struct mc_strings *trusted, const char *header,
		       char client[MC_HTTPD_NAME_SIZE])
{
	const char *to = header + strlen(header);
	struct address address;

	for (;;) {
		const char *from = to;

		while (from > header && from[-1] != ',')
			from--;
		/* Anybody may have written the part before an invalid one. */
		if (!parse_part(from, to, &address))
			return false;
		if (!trusts(trusted, &address))
			break;
		if (from == header)
			return false;
		to = from - 1;
	}
	if (address.family == AF_INET6)
		memset(address.bytes + 8, 0, 8);
	return inet_ntop(address.family, address.bytes, client, MC_HTTPD_NAME_SIZE) != NULL;
}
