/* SPDX-License-Identifier: MIT */
#include "senders.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#include "kit/net/sender_limit.h"

struct senders_named { /* Found by its address without the interface. */
	struct mc_map_node node;
	struct senders_address key;
	const char *name;
	struct senders_named *more; /* With other interfaces. */
};

void senders_init(struct senders *senders, double limit)
{
	senders->limit = limit;
	senders->seed = (uint64_t)mc_wall() | 1;
	senders->slots = mc_alloc_array(SENDERS_SLOTS, sizeof(*senders->slots));
}

void senders_done(struct senders *senders)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&senders->names, NULL)) != NULL) {
		struct senders_named *named = (struct senders_named *)node;

		mc_map_remove(&senders->names, node);
		while (named != NULL) {
			struct senders_named *more = named->more;

			free(named);
			named = more;
		}
	}
	mc_map_done(&senders->names);
	free(senders->slots);
	senders->slots = NULL;
}

bool senders_may_send(struct senders *senders, const struct sockaddr_storage *sender, mc_time now)
{
	uint64_t key = mc_sender_limit_key(sender, NULL) * senders->seed;
	struct senders_slot *slot = &senders->slots[(key >> 32) % SENDERS_SLOTS];

	if (slot->since != 0) {
		double seconds = (double)(now - slot->since) / MC_SECOND;

		slot->sent -= seconds * senders->limit;
		if (slot->sent < 0)
			slot->sent = 0;
	}
	slot->since = now;
	if (slot->sent + 1 > senders->limit * SENDERS_BURST)
		return false;
	slot->sent++;
	return true;
}

/* --- Names ---------------------------------------------------------------- */

static struct in6_addr mapped(const struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
	struct in6_addr out = { 0 };

	if (address->ss_family == AF_INET6)
		return v6->sin6_addr;
	out.s6_addr[10] = out.s6_addr[11] = 0xff;
	memcpy(out.s6_addr + 12, &v4->sin_addr, sizeof(v4->sin_addr));
	return out;
}

bool senders_read_address(const char *text, struct senders_address *address)
{
	const char *interface = strchr(text, '%');
	size_t size = interface != NULL ? (size_t)(interface - text) : strlen(text);
	struct senders_address read = { .interface = "" };
	char number[INET6_ADDRSTRLEN + 1];
	struct mc_addresses list;

	if (size >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)size, text);
	if (mc_address_find(number, NULL, SOCK_DGRAM, AI_NUMERICHOST, &list) != 0)
		return false;
	read.address = mapped(&list.items[0]);
	if (interface != NULL) {
		interface++;
		if (!IN6_IS_ADDR_LINKLOCAL(&read.address) || *interface == '\0' ||
		    strlen(interface) >= sizeof(read.interface))
			return false;
		snprintf(read.interface, sizeof(read.interface), "%s", interface);
	}
	*address = read;
	return true;
}

static struct senders_named *find(const struct senders *senders, const struct in6_addr *address)
{
	return (struct senders_named *)mc_map_find(&senders->names, address, sizeof(*address));
}

bool senders_add_name(struct senders *senders, const struct senders_address *address,
		      const char *name)
{
	struct senders_named *first = find(senders, &address->address), *named;

	for (named = first; named != NULL; named = named->more)
		if (strcmp(named->key.interface, address->interface) == 0)
			return false;
	named = mc_alloc_zero(sizeof(*named));
	named->key = *address;
	named->name = name;
	if (first != NULL) {
		named->more = first->more;
		first->more = named;
		return true;
	}
	named->node.key = &named->key.address;
	named->node.key_size = sizeof(named->key.address);
	mc_map_add(&senders->names, &named->node);
	return true;
}

/* Of those with that address, the one with the interface that the kernel knows
 * by this index now. */
static const char *name_at(const struct senders_named *named, uint32_t index)
{
	char interface[IF_NAMESIZE] = "", number[IF_NAMESIZE];

	if (index != 0 && if_indextoname(index, interface) == NULL)
		interface[0] = '\0';
	snprintf(number, sizeof(number), "%" PRIu32, index);
	for (; named != NULL; named = named->more)
		if (strcmp(named->key.interface, interface) == 0 ||
		    strcmp(named->key.interface, number) == 0)
			return named->name;
	return NULL;
}

const char *senders_name(const struct senders *senders, const struct sockaddr_storage *sender,
			 char text[SENDERS_TEXT_SIZE])
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)sender;
	struct in6_addr address = mapped(sender);
	const struct senders_named *named = find(senders, &address);
	uint32_t index = sender->ss_family == AF_INET6 ? v6->sin6_scope_id : 0;
	const char *name = named != NULL ? name_at(named, index) : NULL;

	text[0] = '\0';
	if (name != NULL)
		return name;
	if (IN6_IS_ADDR_V4MAPPED(&address))
		inet_ntop(AF_INET, address.s6_addr + 12, text, SENDERS_TEXT_SIZE);
	else if (index == 0)
		inet_ntop(AF_INET6, &address, text, SENDERS_TEXT_SIZE);
	else /* With the name of the interface. */
		getnameinfo((const struct sockaddr *)sender, mc_address_size(sender), text,
			    SENDERS_TEXT_SIZE, NULL, 0, NI_NUMERICHOST);
	return text;
}
