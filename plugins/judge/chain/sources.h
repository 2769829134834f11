/* SPDX-License-Identifier: MIT */
/* Data sources that an option names. */
#pragma once

#include <collector/plugin.h>

#include <strings.h>

/* Whether 'source' is named, or none is. */
static inline bool sources_have(const struct mc_strings *names, const struct mc_source *source)
{
	for (size_t i = 0; i < names->len; i++)
		if (strcasecmp(names->items[i], source->name) == 0)
			return true;
	return names->len == 0;
}
