/* SPDX-License-Identifier: MIT */
#include "allow.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>

struct network {
	unsigned char bytes[16];
	unsigned size, bits; /* Of the address in bytes, of the network. */
};

/* An address of IPv4 in one of IPv6, as take_address() takes it. */
static void unmap(struct network *network)
{
	struct in6_addr address;

	if (network->size != 16 || network->bits < 96)
		return;
	memcpy(&address, network->bytes, sizeof(address));
	if (!IN6_IS_ADDR_V4MAPPED(&address))
		return;
	memmove(network->bytes, network->bytes + 12, 4);
	network->size = 4;
	network->bits -= 96;
}

static bool parse(const char *text, struct network *network)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	uint64_t bits;

	if (snprintf(address, sizeof(address), "%.*s",
		     (int)(slash != NULL ? slash - text : (int)strlen(text)),
		     text) >= (int)sizeof(address))
		return false;
	if (inet_pton(AF_INET, address, network->bytes) == 1)
		network->size = 4;
	else if (inet_pton(AF_INET6, address, network->bytes) == 1)
		network->size = 16;
	else
		return false;
	network->bits = network->size * 8;
	if (slash != NULL) {
		if (!mc_number_unsigned(slash + 1, 10, network->bits, &bits))
			return false;
		network->bits = (unsigned)bits;
	}
	unmap(network);
	return true;
}

bool allow_is_sound(const char *text)
{
	struct network network;

	return parse(text, &network);
}

static void take_address(const struct sockaddr_storage *address, struct network *out)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;

	if (address->ss_family == AF_INET) {
		out->size = 4;
		memcpy(out->bytes, &v4->sin_addr, 4);
	} else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		out->size = 4;
		memcpy(out->bytes, v6->sin6_addr.s6_addr + 12, 4);
	} else {
		out->size = 16;
		memcpy(out->bytes, &v6->sin6_addr, 16);
	}
}

static bool is_in(const struct network *network, const struct network *address)
{
	unsigned whole = network->bits / 8, rest = network->bits % 8;

	if (network->size != address->size || memcmp(network->bytes, address->bytes, whole) != 0)
		return false;
	return rest == 0 || (network->bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

bool allow_has(const struct mc_strings *allowed, const struct sockaddr_storage *address)
{
	struct network network, who = { .bits = 0 };

	if (address->ss_family != AF_INET && address->ss_family != AF_INET6)
		return false;
	take_address(address, &who);
	for (size_t i = 0; i < allowed->len; i++)
		if (parse(allowed->items[i], &network) && is_in(&network, &who))
			return true;
	return false;
}
