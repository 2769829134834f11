/* SPDX-License-Identifier: MIT */
#include "put.h"

#include <string.h>

#include "kit/series/sql_put.h"

/* NULL: this host. */
static const char *host_of(const struct database_settings *settings)
{
	const char *host = settings->host;

	if (host == NULL || host[0] == '/' || host[0] == '\0' || strcmp(host, "localhost") == 0)
		return NULL;
	return host;
}

void put_answers(void *argument, void *session, struct mc_batch *batch)
{
	const struct database *database = argument;
	const struct database_settings *settings = database->settings;
	const struct sql_put_names names = {
		.name = settings->name,
		.host = host_of(settings),
		.plugin = settings->plugin,
		.plugin_instance = database_instance(settings),
	};

	sql_put(database->ctx, &names, &database->queries, session_answers(session), batch);
}
