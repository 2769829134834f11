/* SPDX-License-Identifier: MIT */
/* Facts: the reference of MariaDB's Connector/C; the reference manuals of both servers, "SHOW
 * STATUS", "SHOW REPLICA STATUS", "SHOW BINLOG STATUS". */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mysql.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#define ANSWERS_MAX 20000            /* Of one interval. */
#define ANSWERS_SIZE_MAX (4UL << 20) /* Their bytes. */
#define PACKET_SIZE_MAX (1UL << 20)  /* Bytes of a row. */
#define CONNECT_TIMEOUT 10           /* Seconds. */

struct place { /* Of an answer, in the texts. */
	enum session_topic topic;
	size_t name, value;
};

struct session {
	struct session_settings settings; /* Its texts are its own. */
	MYSQL *connection;                /* NULL: none. */
	struct mc_buffer texts;
	struct place *places;
	size_t len, capacity;
};

static void fail(const struct session *session, char why[SLOW_SOURCE_WHY], const char *what)
{
	const char *reason = mysql_error(session->connection);
	/* Any errno of before follows. */
	const char *end = strstr(reason, ", system error:");

	if (reason[0] == '\0')
		snprintf(why, SLOW_SOURCE_WHY, "%s: error %u", what,
			 mysql_errno(session->connection));
	else
		snprintf(why, SLOW_SOURCE_WHY, "%s: %.*s", what,
			 (int)(end != NULL ? end - reason : SLOW_SOURCE_WHY), reason);
}

/* --- Answers ------------------------------------------------------------------ */

static size_t add_text(struct session *session, const char *text)
{
	size_t at = session->texts.size;

	mc_buffer_add(&session->texts, text, strlen(text) + 1);
	return at;
}

static bool add(struct session *session, enum session_topic topic, const char *name,
		const char *value)
{
	struct place place = { .topic = topic };

	if (name == NULL || value == NULL)
		return true;
	if (session->len == ANSWERS_MAX ||
	    session->texts.size + strlen(name) + strlen(value) + 2 > ANSWERS_SIZE_MAX)
		return false;
	place.name = add_text(session, name);
	place.value = add_text(session, value);
	if (session->len == session->capacity) {
		session->capacity = session->capacity > 0 ? 2 * session->capacity : 512;
		session->places =
			mc_alloc_resize(session->places, session->capacity, sizeof(place));
	}
	session->places[session->len++] = place;
	return true;
}

bool session_answer(const struct session *session, size_t number, struct session_answer *answer)
{
	const struct place *place = &session->places[number];

	if (number >= session->len)
		return false;
	*answer = (struct session_answer){
		.topic = place->topic,
		.name = session->texts.at + place->name,
		.value = session->texts.at + place->value,
	};
	return true;
}

/* --- Questions ----------------------------------------------------------------- */

/* Each row is a name and a value; or the first has a value in each column. */
static bool take_row(struct session *session, enum session_topic topic, MYSQL_RES *result,
		     MYSQL_ROW row)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(result);
	unsigned len = mysql_num_fields(result);

	if (topic != SESSION_MASTER && topic != SESSION_SLAVE)
		return len < 2 || add(session, topic, row[0], row[1]);
	for (unsigned i = 0; i < len; i++)
		if (!add(session, topic, fields[i].name, row[i]))
			return false;
	return true;
}

static bool ask(struct session *session, enum session_topic topic, const char *question,
		char why[SLOW_SOURCE_WHY])
{
	MYSQL *connection = session->connection;
	MYSQL_RES *result;
	MYSQL_ROW row;
	bool fits = true;

	result = mysql_real_query(connection, question, strlen(question)) == 0
			 ? mysql_use_result(connection)
			 : NULL;
	if (result == NULL) {
		fail(session, why, question);
		return false;
	}
	while (fits && (row = mysql_fetch_row(result)) != NULL)
		fits = take_row(session, topic, result, row);
	if (!fits)
		snprintf(why, SLOW_SOURCE_WHY, "%s: its answer is too large", question);
	else if (mysql_errno(connection) != 0)
		fail(session, why, question);
	fits = fits && mysql_errno(connection) == 0;
	if (fits || mysql_errno(connection) != 0)
		mysql_free_result(result); /* Else it would read the rest. */
	return fits;
}

/* MySQL has had other words since 8.0.22, and only these since 8.4. */
static bool has_new_words(struct session *session)
{
	return !mariadb_connection(session->connection) &&
	       mysql_get_server_version(session->connection) >= 80400;
}

static bool ask_all(struct session *session, char why[SLOW_SOURCE_WHY])
{
	const struct session_settings *settings = &session->settings;
	unsigned long version = mysql_get_server_version(session->connection);
	bool is_maria = mariadb_connection(session->connection) != 0;

	if (!ask(session, SESSION_STATUS, "SHOW GLOBAL STATUS", why))
		return false;
	if (settings->innodb && version >= 50600 &&
	    !ask(session, SESSION_INNODB,
		 is_maria && version >= 100500
			 ? "SELECT name, count FROM information_schema.innodb_metrics WHERE enabled"
			 : "SELECT name, count FROM information_schema.innodb_metrics "
			   "WHERE status = 'enabled'",
		 why))
		return false;
	if (settings->master &&
	    !ask(session, SESSION_MASTER,
		 has_new_words(session) ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS", why))
		return false;
	if ((settings->slave || settings->slave_notifications) &&
	    !ask(session, SESSION_SLAVE,
		 has_new_words(session) ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS", why))
		return false;
	return !settings->wsrep ||
	       ask(session, SESSION_WSREP, "SHOW GLOBAL STATUS LIKE 'wsrep_%'", why);
}

/* --- The connection -------------------------------------------------------------- */

static void set_options(MYSQL *connection, const struct session_settings *settings)
{
	unsigned timeout = (unsigned)settings->connect_timeout, rest = CONNECT_TIMEOUT;
	unsigned long packet_max = PACKET_SIZE_MAX;
	unsigned none = 0;

	if (timeout == 0)
		timeout = CONNECT_TIMEOUT;
	mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
	mysql_options(connection, MYSQL_OPT_READ_TIMEOUT, &rest);
	mysql_options(connection, MYSQL_OPT_WRITE_TIMEOUT, &rest);
	mysql_options(connection, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet_max);
	/* No server may ask for files of this host. */
	mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &none);
	if (settings->key != NULL || settings->certificate != NULL || settings->ca != NULL ||
	    settings->ca_path != NULL || settings->cipher != NULL)
		mysql_ssl_set(connection, settings->key, settings->certificate, settings->ca,
			      settings->ca_path, settings->cipher);
}

static void hang_up(struct session *session)
{
	if (session->connection != NULL)
		mysql_close(session->connection);
	session->connection = NULL;
}

static bool is_connected(struct session *session, char why[SLOW_SOURCE_WHY])
{
	const struct session_settings *settings = &session->settings;

	if (session->connection != NULL)
		return true;
	session->connection = mysql_init(NULL);
	if (session->connection == NULL) {
		snprintf(why, SLOW_SOURCE_WHY, "cannot set the library up");
		return false;
	}
	set_options(session->connection, settings);
	if (mysql_real_connect(session->connection, settings->host, settings->user,
			       settings->password, settings->database, (unsigned)settings->port,
			       settings->socket, 0) != NULL)
		return true;
	fail(session, why, "cannot connect");
	return false;
}

bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	bool is_old = session->connection != NULL, works;

	mc_buffer_clear(&session->texts);
	session->len = 0;
	works = is_connected(session, why) && ask_all(session, why);
	if (works)
		return true;
	hang_up(session);
	/* A server ends connections that are idle. */
	if (is_old && session->len == 0)
		works = is_connected(session, why) && ask_all(session, why);
	if (!works)
		hang_up(session);
	return works;
}

/* --- Life -------------------------------------------------------------------------- */

/* The fields of texts, for copies. */
#define TEXTS(s)                                                                                   \
	{                                                                                          \
		&(s)->instance, &(s)->alias, &(s)->host, &(s)->user, &(s)->password,               \
			&(s)->database, &(s)->socket, &(s)->key, &(s)->certificate, &(s)->ca,      \
			&(s)->ca_path, &(s)->cipher                                                \
	}

void *session_open(const void *settings)
{
	struct session *session = mc_alloc_zero(sizeof(*session));

	session->settings = *(const struct session_settings *)settings;
	for (size_t i = 0; i < 12; i++) {
		const char **texts[] = TEXTS(&session->settings);

		*texts[i] = mc_alloc_copy(*texts[i]);
	}
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	hang_up(session);
	for (size_t i = 0; i < 12; i++) {
		const char **texts[] = TEXTS(&session->settings);

		free((char *)*texts[i]);
	}
	mc_buffer_free(&session->texts);
	free(session->places);
	free(session);
}
