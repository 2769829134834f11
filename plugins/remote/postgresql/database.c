/* SPDX-License-Identifier: MIT */
#include "database.h"

#include "predefined.h"

bool database_has_query(const struct mc_blocks *given, const char *name)
{
	return sql_query_is_there(given->items, given->len, name) ||
	       sql_query_is_there(predefined, PREDEFINED_LEN, name);
}

/* A query of the site takes the place of a predefined one of its name. */
static void add(struct database *database, const struct mc_blocks *given, const char *name)
{
	if (sql_query_list_add(&database->queries, given->items, given->len, name) == 0)
		sql_query_list_add(&database->queries, predefined, PREDEFINED_LEN, name);
}

void database_init(struct database *database, struct mc_ctx *ctx,
		   const struct database_settings *settings, const struct mc_blocks *given)
{
	*database = (struct database){ .ctx = ctx, .settings = settings };
	for (size_t i = 0; i < settings->queries.len; i++)
		add(database, given, settings->queries.items[i]);
	for (size_t i = 0; settings->queries.len == 0 && i < PREDEFINED_DEFAULTS; i++)
		add(database, given, predefined[i].name);
}

void database_done(struct database *database)
{
	sql_query_list_done(&database->queries);
}

const char *database_instance(const struct database_settings *settings)
{
	return settings->instance != NULL ? settings->instance : settings->name;
}
