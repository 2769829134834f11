/* SPDX-License-Identifier: MIT */
#include "senders.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/sender_limit.h>

struct key {                     /* No padding: it is compared as bytes. */
	struct in6_addr address; /* One of IPv4 is mapped. */
	uint32_t scope;
};

struct senders_named {
	struct mc_map_node node;
	struct key key;
	const char *name;
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
		mc_map_remove(&senders->names, node);
		free(node);
	}
	mc_map_done(&senders->names);
	free(senders->slots);
	senders->slots = NULL;
}

bool senders_may_send(struct senders *senders,
		      const struct sockaddr_storage *sender, mc_time now)
{
	uint64_t key = mc_sender_limit_key(sender, NULL) * senders->seed;
	struct senders_slot *slot =
		&senders->slots[(key >> 32) % SENDERS_SLOTS];

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

static struct key key_of(const struct sockaddr_storage *sender)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)sender;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)sender;
	struct key key = { .scope = 0 };

	if (sender->ss_family == AF_INET6) {
		key.address = v6->sin6_addr;
		key.scope = v6->sin6_scope_id;
	} else {
		key.address.s6_addr[10] = key.address.s6_addr[11] = 0xff;
		memcpy(key.address.s6_addr + 12, &v4->sin_addr,
		       sizeof(v4->sin_addr));
	}
	return key;
}

bool senders_add_name(struct senders *senders,
		      const struct sockaddr_storage *sender, const char *name)
{
	struct key key = key_of(sender);
	struct senders_named *named;

	if (mc_map_find(&senders->names, &key, sizeof(key)) != NULL)
		return false;
	named = mc_alloc_zero(sizeof(*named));
	named->key = key;
	named->name = name;
	named->node.key = &named->key;
	named->node.key_size = sizeof(named->key);
	mc_map_add(&senders->names, &named->node);
	return true;
}

const char *senders_name(const struct senders *senders,
			 const struct sockaddr_storage *sender,
			 char text[SENDERS_TEXT_SIZE])
{
	struct key key = key_of(sender);
	const struct senders_named *named = (struct senders_named *)mc_map_find(
		&senders->names, &key, sizeof(key));

	text[0] = '\0';
	if (named != NULL)
		return named->name;
	if (IN6_IS_ADDR_V4MAPPED(&key.address))
		inet_ntop(AF_INET, key.address.s6_addr + 12, text,
			  SENDERS_TEXT_SIZE);
	else if (key.scope == 0)
		inet_ntop(AF_INET6, &key.address, text, SENDERS_TEXT_SIZE);
	else /* With the name of the interface. */
		getnameinfo((const struct sockaddr *)sender,
			    mc_address_size(sender), text, SENDERS_TEXT_SIZE,
			    NULL, 0, NI_NUMERICHOST);
	return text;
}
