/* SPDX-License-Identifier: MIT */
#include "database.h"

#include <stdlib.h>
#include <strings.h>

#include <collector/kit/alloc.h>

#include "predefined.h"

/* A query of that name, at 'number' or later, of the given ones and then of the predefined; NULL:
 * none.  'number' becomes that of the next. */
static const struct database_query *find(const struct mc_blocks *given, const char *name,
					 size_t *number)
{
	const struct database_query *queries = given->items;

	for (; *number < given->len + PREDEFINED_LEN; (*number)++) {
		const struct database_query *query = *number < given->len
							     ? &queries[*number]
							     : &predefined[*number - given->len];

		if (strcasecmp(query->name, name) == 0) {
			(*number)++;
			return query;
		}
	}
	return NULL;
}

bool database_has_query(const struct mc_blocks *given, const char *name)
{
	size_t number = 0;

	return find(given, name, &number) != NULL;
}

/* A query of the site takes the place of a predefined one of its name. */
static void add(struct database *database, const struct mc_blocks *given, const char *name)
{
	const struct database_query *query;
	bool is_given = false;
	size_t number = 0;

	while ((query = find(given, name, &number)) != NULL) {
		if (number > given->len && is_given)
			return;
		is_given = number <= given->len;
		database->queries = mc_alloc_resize(database->queries, database->len + 1,
						    sizeof(struct database_query *));
		database->queries[database->len++] = query;
	}
}

void database_init(struct database *database, struct mc_ctx *ctx,
		   const struct database_settings *settings, const struct mc_blocks *given)
{
	*database = (struct database){ .ctx = ctx, .settings = settings };
	for (size_t i = 0; i < settings->queries.len; i++)
		add(database, given, settings->queries.items[i]);
	for (size_t i = 0; settings->queries.len == 0 && i < PREDEFINED_DEFAULTS; i++)
		add(database, given, predefined[i].name);
	database->troubles = mc_alloc_array(database->len, sizeof(struct mc_once));
}

void database_done(struct database *database)
{
	free(database->queries);
	free(database->troubles);
}

const char *database_instance(const struct database_settings *settings)
{
	return settings->instance != NULL ? settings->instance : settings->name;
}
