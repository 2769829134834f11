/* SPDX-License-Identifier: MIT */
/* Facts: collectd.conf(5), "Plugin dbi" and "Plugin postgresql". */
#include "kit/series/sql_query.h"

#include <stdlib.h>
#include <strings.h>

#include <collector/kit/alloc.h>

const struct mc_option sql_query_result_options[] = {
	{ .name = "Type",
	  MC_OPT_STRING(struct sql_query_result, type),
	  .required = true,
	  .sample = "gauge",
	  .help = "Type of the series." },
	{ .name = "InstancePrefix",
	  MC_OPT_STRING(struct sql_query_result, prefix),
	  .sample = "tickets",
	  .help = "Begin of the type instance." },
	{ .name = "InstancesFrom",
	  MC_OPT_STRINGS(struct sql_query_result, instances),
	  .sample = "state",
	  .help = "Columns whose texts are the rest of it, with '-' between them." },
	{ .name = "ValuesFrom",
	  MC_OPT_STRINGS(struct sql_query_result, values),
	  .required = true,
	  .sample = "count",
	  .help = "Columns with the values, as many as the type has." },
	{ .name = "MetadataFrom",
	  MC_OPT_STRINGS(struct sql_query_result, metadata),
	  .sample = "comment",
	  .no_effect = true,
	  .help = "metadata of a query is not sent on" },
	{ 0 },
};

void sql_query_check(struct mc_ctx *ctx, const struct sql_query *query)
{
	const struct sql_query_result *results = query->results.items;

	for (size_t i = 0; i < query->results.len; i++) {
		const struct mc_type *type = mc_check_type(ctx, results[i].type);

		if (type == NULL)
			mc_check_error(ctx, &results[i].type, "is not in types.db");
		else if (type->sources_len != results[i].values.len)
			mc_check_error(ctx, &results[i].type, "has %u values, not %zu",
				       type->sources_len, results[i].values.len);
	}
}

bool sql_query_is_there(const struct sql_query *queries, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (strcasecmp(queries[i].name, name) == 0)
			return true;
	return false;
}

size_t sql_query_list_add(struct sql_query_list *list, const struct sql_query *queries, size_t len,
			  const char *name)
{
	size_t before = list->len;

	for (size_t i = 0; i < len; i++) {
		if (strcasecmp(queries[i].name, name) != 0)
			continue;
		list->items = mc_alloc_resize(list->items, list->len + 1, sizeof(*list->items));
		list->troubles =
			mc_alloc_resize(list->troubles, list->len + 1, sizeof(*list->troubles));
		list->troubles[list->len] = (struct mc_once){ 0 };
		list->items[list->len++] = &queries[i];
	}
	return list->len - before;
}

void sql_query_list_done(struct sql_query_list *list)
{
	free(list->items);
	free(list->troubles);
	*list = (struct sql_query_list){ 0 };
}
