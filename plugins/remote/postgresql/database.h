/* SPDX-License-Identifier: MIT */
/* A database that is asked, and its queries: settings, and what is asked of them. */
#pragma once

#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/quota.h>

struct database_result { /* A Result block: the series that a row makes. */
	const char *type, *prefix;
	struct mc_strings instances, values, metadata; /* Names of columns. */
};

struct database_query { /* A Query block, or one that is predefined. */
	const char *name, *statement, *plugin_instance;
	struct mc_strings parameters;
	int64_t min_version, max_version;
	struct mc_blocks results; /* struct database_result */
};

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
	const struct database_query **queries;
	struct mc_once *troubles; /* Of each query. */
	size_t len;
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
