/* SPDX-License-Identifier: MIT */
/* A connection to a server of PostgreSQL, and its answers.  It has copies of all it needs, as it
 * may outlive the plugin's instance. */
#pragma once

#include "database.h"
#include "kit/net/slow_source.h"
#include "kit/series/sql_answers.h"

/* Of struct slow_source_kind; 'settings' is a struct database. */
void *session_open(const void *settings);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
void session_close(void *session);

/* The answers of the last question. */
const struct sql_answers *session_answers(const void *session);
