/* SPDX-License-Identifier: MIT */
/* What is wrong with options. */
#include "options.h"

#include <string.h>

#include <collector/check.h>

#include "address.h"

bool options_is_again(const struct mc_strings *texts, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(texts->items[i], texts->items[index]) == 0)
			return true;
	return false;
}

void options_check(struct mc_ctx *ctx, const struct mc_strings *addresses,
		   const struct mc_strings *timespans, const int64_t *heartbeat,
		   int64_t step)
{
	const char *const *items = addresses->items;
	struct address address;

	for (size_t i = 0; i < addresses->len; i++) {
		if (!address_parse(&address, items[i]))
			mc_check_error(
				ctx, &items[i],
				"is not an address such as "
				"unix:/run/rrdcached.sock, host or host:port");
		else if (options_is_again(addresses, i))
			mc_check_error(ctx, &items[i], "is given twice");
	}
	mc_check_timespans(ctx, timespans);
	mc_check_heartbeat(ctx, heartbeat, step);
}
