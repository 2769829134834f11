/* SPDX-License-Identifier: MIT */
#include "formats/rrd/pnp_single.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

const struct mc_rrd_layout *mc_pnp_single_layout(struct mc_rrd_layout **list,
						 const struct mc_rrd_rules *rules,
						 const struct mc_pnp_single *single,
						 mc_time interval)
{
	static const char letters[] = {
		[MC_COUNTER] = 'c',
		[MC_GAUGE] = 'g',
		[MC_DERIVE] = 'd',
		[MC_ABSOLUTE] = 'a',
	};
	size_t size = single->sources_len * sizeof(struct mc_source);
	struct mc_type *type = mc_alloc_zero(sizeof(*type) + size);
	char kinds[MC_SOURCES_MAX + 16] = "PNP/";
	char texts[MC_SOURCES_MAX][12];
	const char *names[MC_SOURCES_MAX];
	struct mc_rrd_rules own = *rules;
	const struct mc_rrd_layout *layout;
	size_t used = strlen(kinds);

	for (unsigned i = 0; i < single->sources_len; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%u", i + 1);
		names[i] = texts[i];
		kinds[used++] = letters[single->kinds[i]];
		type->sources[i] =
			(struct mc_source){ texts[i], single->kinds[i],
					    single->kinds[i] == MC_DERIVE ? 0 : NAN, NAN };
	}
	kinds[used] = '\0';
	type->name = kinds;
	type->sources_len = single->sources_len;
	own.source_names = names;
	own.source_names_len = single->sources_len;
	own.partial = true;
	layout = mc_rrd_layout(list, &own, type, interval);
	free(type);
	return layout;
}
