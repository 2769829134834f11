/* SPDX-License-Identifier: MIT */
/* A set of texts, with the number of times that each was added.  Pure. */
#pragma once

#include <stdbool.h>

#include <collector/kit/map.h>

struct texts { /* All zero: empty. */
	struct mc_map map;
};

struct texts_one {
	struct mc_map_node node;
	unsigned count;
	char text[];
};

/* False: it would be more than 'most'. */
bool texts_add(struct texts *, const char *text, size_t size, size_t most);
void texts_done(struct texts *);

/* All of them in their order; the caller frees the list, not the items. */
struct texts_one **texts_sorted(const struct texts *);
