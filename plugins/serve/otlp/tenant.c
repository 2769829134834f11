/* SPDX-License-Identifier: MIT */
#include "tenant.h"

#include <fnmatch.h>

static const struct mc_option options[] = {
	{ "", MC_OPT_STRING(struct tenant_options, name), .required = true,
	  .help = "Name of the tenant, the value of the label \"tenant\" of its hosts.",
	  .sample = "blue" },
	{ "Client", MC_OPT_STRINGS(struct tenant_options, clients), .required = true,
	  .help = "Names of its clients, with * and ?: that in a certificate, or else an address.",
	  .sample = "*.blue.example" },
	{ "MaxSeriesPerTenant", MC_OPT_INT(struct tenant_options, limits.series),
	  .default_value = "0",
	  .help = "Largest number of series of the tenant; further ones are refused.  0: no limit.",
	  .max = 1e9 },
	{ "MaxNewSeriesPerTenant", MC_OPT_INT(struct tenant_options, limits.new_series),
	  .default_value = "500",
	  .help = "Number of new series per second that are accepted from the tenant, after a "
		  "burst of up to MaxSeriesPerTenant.",
	  .min = 1, .max = 1e9 },
	{ "MaxValuesPerTenant", MC_OPT_INT(struct tenant_options, values_max), .default_value = "0",
	  .help = "Number of values per second that are accepted from the tenant, after those of "
		  "ten seconds at once; beyond it its clients are asked to try again later.  0: no "
		  "limit.",
	  .max = 1e9 },
	{ 0 },
};
const struct mc_block tenant_block = { sizeof(struct tenant_options), options };

const struct tenant_options *tenant_find(const struct mc_blocks *blocks, const char *client)
{
	const struct tenant_options *tenants = blocks->items;

	for (size_t i = 0; i < blocks->len; i++)
		for (size_t j = 0; j < tenants[i].clients.len; j++)
			if (fnmatch(tenants[i].clients.items[j], client, 0) == 0)
				return &tenants[i];
	return NULL;
}
