/* SPDX-License-Identifier: MIT */
/* Networks: IPv4 addresses are compared as IPv4-mapped ones (RFC 4291, section
 * 2.5.5.2), as they come in on a socket that serves both. */
#include "allow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#define MAPPED_SIZE 12

static const unsigned char mapped[MAPPED_SIZE] = { [10] = 0xff, [11] = 0xff };

/* The number of bits after '/', or 'most'; -1 if that is not a number. */
static int bits_of(const char *slash, int most)
{
	uint64_t bits;

	if (slash == NULL)
		return most;
	return mc_number_unsigned(slash + 1, 10, (uint64_t)most, &bits) ? (int)bits : -1;
}

static bool parse(const char *text, struct allow_network *network)
{
	const char *slash = strchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : strlen(text);
	char host[INET6_ADDRSTRLEN];
	int bits;

	if (size >= sizeof(host))
		return false;
	memcpy(host, text, size);
	host[size] = '\0';
	if (inet_pton(AF_INET6, host, network->bytes) == 1) {
		bits = bits_of(slash, 128);
		network->bits = (unsigned)bits;
	} else if (inet_pton(AF_INET, host, network->bytes + MAPPED_SIZE) == 1) {
		memcpy(network->bytes, mapped, MAPPED_SIZE);
		bits = bits_of(slash, 32);
		network->bits = 96 + (unsigned)bits;
	} else {
		return false;
	}
	return bits >= 0;
}

bool allow_is_network(const char *text)
{
	struct allow_network network;

	return parse(text, &network);
}

int allow_start(struct allow *allow, struct mc_ctx *ctx, const struct mc_strings *texts)
{
	if (texts->len == 0)
		return 0;
	allow->networks = mc_alloc_array(texts->len, sizeof(*allow->networks));
	for (; allow->len < texts->len; allow->len++)
		if (!parse(texts->items[allow->len], &allow->networks[allow->len]))
			return mc_fail(ctx, 0, "AllowUnsigned: '%s' is not a network",
				       texts->items[allow->len]);
	return 0;
}

void allow_stop(struct allow *allow)
{
	free(allow->networks);
	*allow = (struct allow){ 0 };
}

static bool matches(const struct allow_network *network, const unsigned char *bytes)
{
	unsigned whole = network->bits / 8, rest = network->bits % 8;

	if (memcmp(network->bytes, bytes, whole) != 0)
		return false;
	return rest == 0 || (network->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

bool allow_has(const struct allow *allow, const struct sockaddr_storage *address)
{
	unsigned char bytes[16];

	if (address->ss_family == AF_INET6) {
		memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof(bytes));
	} else {
		memcpy(bytes, mapped, MAPPED_SIZE);
		memcpy(bytes + MAPPED_SIZE, &((const struct sockaddr_in *)address)->sin_addr, 4);
	}
	for (size_t i = 0; i < allow->len; i++)
		if (matches(&allow->networks[i], bytes))
			return true;
	return false;
}
