/* SPDX-License-Identifier: MIT */
/* A database that is asked, and its queries: settings, and what is asked of them. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

#include "kit/series/sql_query.h"

struct database_settings { /* A Database block. */
	const char *name, *host, *port, *user, *password, *ssl_mode, *kerberos, *service;
	const char *instance, *plugin;
	const char *unused;        /* Of options without effect. */
	struct mc_strings queries; /* Names. */
	mc_time interval;
	struct mc_quota_limits limits;
};

struct database { /* All that it is asked. */
	struct mc_ctx *ctx;
	const struct database_settings *settings;
	struct sql_query_list queries;
};

/* Looks the queries of a database up, among the given and the predefined ones; a name may stand for
 * several, of different versions.  Unknown names are passed over. */
void database_init(struct database *, struct mc_ctx *, const struct database_settings *,
		   const struct mc_blocks *queries);
void database_done(struct database *);

/* Whether there is a query of that name. */
bool database_has_query(const struct mc_blocks *queries, const char *name);

/* In the names of series. */
const char *database_instance(const struct database_settings *);
