/* SPDX-License-Identifier: MIT */
#include "engine/otlp/otlp_owners.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"

#define OWNERS_FIRST 256 /* A power of two. */

struct mc_otlp_owner { /* Of a series; NULL: the entry is free. */
	const struct mc_series *series;
	uint64_t origin;
};

void mc_otlp_owners_done(struct mc_otlp_owners *owners)
{
	free(owners->items);
	*owners = (struct mc_otlp_owners){ 0 };
}

/* The entry of the series, or the free one where it belongs. */
static struct mc_otlp_owner *find(const struct mc_otlp_owners *owners,
				  const struct mc_series *series)
{
	size_t mask = owners->room - 1;
	size_t i = XXH3_64bits(&series, sizeof(series)) & mask;

	while (owners->items[i].series != NULL && owners->items[i].series != series)
		i = (i + 1) & mask;
	return &owners->items[i];
}

static void grow(struct mc_otlp_owners *owners)
{
	struct mc_otlp_owners old = *owners;

	owners->room = old.room == 0 ? OWNERS_FIRST : 2 * old.room;
	owners->items = alloc_zero(owners->room * sizeof(*owners->items));
	for (size_t i = 0; i < old.room; i++)
		if (old.items[i].series != NULL)
			*find(owners, old.items[i].series) = old.items[i];
	free(old.items);
}

bool otlp_owners_take(struct mc_otlp_owners *owners, const struct mc_otlp *otlp,
		      const struct mc_series *series)
{
	uint64_t origin = XXH3_64bits_withSeed(otlp->own.scope.at, otlp->own.scope.size,
					       otlp->own.resource.all);
	struct mc_otlp_owner *owner;

	if (2 * owners->len >= owners->room)
		grow(owners);
	owner = find(owners, series);
	if (owner->series != NULL)
		return owner->origin == origin;
	*owner = (struct mc_otlp_owner){ series, origin };
	owners->len++;
	return true;
}
