/* SPDX-License-Identifier: MIT */
/* A connection to a server of PostgreSQL, and its answers.  It has copies of all it needs, as it
 * may outlive the plugin's instance. */
#pragma once

#include "database.h"
#include "kit/net/slow_source.h"

struct session_table { /* The answer to a query. */
	bool asked;    /* False: it is not for this version. */
	const char *error;
	size_t columns, rows;
	const size_t *cells; /* The names of columns, then the rows; SESSION_NULL. */
	const char *texts;   /* Where they begin. */
};

#define SESSION_NULL SIZE_MAX

/* Of struct slow_source_kind; 'settings' is a struct database. */
void *session_open(const void *settings);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
void session_close(void *session);

/* The answer to the query with that number; false without one, as the connection failed. */
bool session_table(const void *session, size_t number, struct session_table *table);

/* A cell; row 0 are the names.  NULL: it has no value. */
const char *session_cell(const struct session_table *table, size_t row, size_t column);
