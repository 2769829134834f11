/* SPDX-License-Identifier: MIT */
/* Which of the addresses that were found is taken; lookup_libc.c or musl/lookup_threads.c finds
 * them. */
#include <collector/kit/address.h>

#include <netdb.h>

int mc_lookup_end(struct mc_lookup *lookup, bool (*fits)(void *argument, int family),
		  void *argument, struct sockaddr_storage *out)
{
	struct mc_addresses list;
	int rc = mc_lookup_all(lookup, &list);

	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < list.len; i++) {
		if (!fits(argument, list.items[i].ss_family))
			continue;
		*out = list.items[i];
		return 0;
	}
	return EAI_ADDRFAMILY;
}
