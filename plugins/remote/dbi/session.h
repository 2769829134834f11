/* SPDX-License-Identifier: MIT */
/* A connection to a database by libdbi, and its answers.  It has copies of all it needs, as it may
 * outlive the plugin's instance. */
#pragma once

#include "kit/net/slow_source.h"
#include "kit/series/sql_answers.h"
#include "kit/series/sql_query.h"

struct session_option { /* DriverOption. */
	const char *name, *value;
};

struct session_settings { /* A Database block. */
	const char *name, *driver, *select, *host, *plugin;
	struct mc_blocks options;  /* struct session_option */
	struct mc_strings queries; /* Names. */
	mc_time interval;
	struct mc_quota_limits limits;
};

struct session_database { /* All that it is asked. */
	struct mc_ctx *ctx;
	const struct session_settings *settings;
	struct sql_query_list queries;
};

/* Of struct slow_source_kind; 'database' is a struct session_database. */
void *session_open(const void *database);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
void session_close(void *session);

/* The answers of the last question. */
const struct sql_answers *session_answers(const void *session);
