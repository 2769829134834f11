/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <net-snmp/net-snmp-includes.h>

#include <collector/kit/alloc.h>

const struct key *keys_get(struct keys *keys, const struct mc_snmp_protocol *protocol,
			   const char *passphrase)
{
	struct key key = { .protocol = protocol,
			   .passphrase = passphrase,
			   .size = sizeof(key.bytes) };

	for (size_t i = 0; i < keys->len; i++)
		if (keys->items[i].protocol == protocol &&
		    strcmp(keys->items[i].passphrase, passphrase) == 0)
			return &keys->items[i];
	if (generate_Ku(protocol->id, (u_int)protocol->len, (const u_char *)passphrase,
			strlen(passphrase), key.bytes, &key.size) != SNMPERR_SUCCESS)
		return NULL;
	keys->items = mc_alloc_resize(keys->items, keys->len + 1, sizeof(*keys->items));
	keys->items[keys->len] = key;
	return &keys->items[keys->len++];
}

void keys_done(struct keys *keys)
{
	if (keys->items != NULL)
		explicit_bzero(keys->items, keys->len * sizeof(*keys->items));
	free(keys->items);
	*keys = (struct keys){ 0 };
}
