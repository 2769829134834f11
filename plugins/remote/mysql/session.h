/* SPDX-License-Identifier: MIT */
/* A connection to a server of MySQL or MariaDB, and its answers.  It has copies of all it needs,
 * as it may outlive the plugin's instance. */
#pragma once

#include "kit/net/slow_source.h"

struct session_settings { /* A Database block. */
	const char *instance, *alias, *host, *user, *password, *database, *socket;
	const char *key, *certificate, *ca, *ca_path, *cipher;
	int64_t port, connect_timeout;
	bool innodb, master, slave, slave_notifications, wsrep;
	struct mc_quota_limits limits;
};

enum session_topic { SESSION_STATUS, SESSION_INNODB, SESSION_WSREP, SESSION_MASTER, SESSION_SLAVE };

struct session_answer { /* A name and its value, in a row or as a column. */
	enum session_topic topic;
	const char *name, *value;
};

struct session;

void *session_open(const void *settings);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
void session_close(void *session);

/* The answers of the last question.  False: there is no such one. */
bool session_answer(const struct session *session, size_t number, struct session_answer *answer);
