/* SPDX-License-Identifier: MIT */
/* Which program has which series: those of two would have one name if what is
 * in front of their types were the same.  Pure; one thread at a time. */
#pragma once

#include <collector/kit/map.h>

struct claims { /* All zero: nobody has any. */
	struct mc_map map;
};

/* "HOST/PLUGIN-INSTANCE", as series have it, to be freed. */
char *claims_series(const char *host, const char *plugin, const char *instance);

/* Gives these series to 'owner', unless another one has them; returns their owner.  Owners must
 * stay, and are compared by their addresses. */
const void *claims_take(struct claims *, const char *series, const void *owner);

/* Nobody has what that owner has had. */
void claims_release(struct claims *, const void *owner);

void claims_done(struct claims *);
