/* SPDX-License-Identifier: MIT */
/* Facts: the manual of PostgreSQL, "libpq". */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libpq-fe.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#define SILENCE_MAX 10000    /* Milliseconds that a server may be silent. */
#define CONNECT_TIMEOUT "10" /* Seconds. */
#define PARAMETERS_MAX 16
#define OPTIONS_MAX 12

struct question {
	char *statement;
	char *parameters[PARAMETERS_MAX]; /* Names of them. */
	int parameters_len;
	int64_t min_version, max_version;
};

struct session {
	char *keys[OPTIONS_MAX + 1], *values[OPTIONS_MAX + 1]; /* Of the connection. */
	size_t options;
	char *instance, *interval;
	struct question *questions;
	PGconn *connection;         /* NULL: none. */
	struct sql_answers answers; /* One for each question. */
};

/* --- Answers ------------------------------------------------------------------- */

static bool add_row(struct sql_answers *answers, struct sql_answer *answer, const PGresult *result,
		    int row)
{
	int columns = PQnfields(result);

	if (answer->columns == 0) {
		answer->columns = (size_t)columns;
		answer->first = answers->cells_len;
		for (int i = 0; i < columns; i++)
			if (!sql_answers_add(answers, PQfname(result, i)))
				return false;
	}
	if ((size_t)columns != answer->columns)
		return false;
	for (int i = 0; i < columns; i++)
		if (!sql_answers_add(answers, PQgetisnull(result, row, i)
						      ? NULL
						      : PQgetvalue(result, row, i)))
			return false;
	answer->rows++;
	return true;
}

const struct sql_answers *session_answers(const void *session)
{
	return &((const struct session *)session)->answers;
}

/* --- Questions ------------------------------------------------------------------- */

static void fail(const struct session *session, char why[SLOW_SOURCE_WHY], const char *what)
{
	const char *message = PQerrorMessage(session->connection);

	/* Only its first line. */
	snprintf(why, SLOW_SOURCE_WHY, "%s%.*s", what, (int)strcspn(message, "\n"), message);
}

static char *first_line(const char *message)
{
	return mc_alloc_printf("%.*s", (int)strcspn(message, "\n"), message);
}

/* The next part of an answer, NULL at its end.  False, and 'why': the connection is of no use. */
static bool take_result(struct session *session, PGresult **result, char why[SLOW_SOURCE_WHY])
{
	PGconn *connection = session->connection;

	while (PQisBusy(connection)) {
		struct pollfd fd = { .fd = PQsocket(connection), .events = POLLIN };
		int rc = poll(&fd, 1, SILENCE_MAX);

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc == 0) {
			snprintf(why, SLOW_SOURCE_WHY, "it is silent for ten seconds");
			return false;
		}
		if (rc < 0 || !PQconsumeInput(connection)) {
			fail(session, why, "");
			return false;
		}
	}
	*result = PQgetResult(connection);
	return true;
}

/* False: the connection is of no use any more. */
static bool take_part(struct session *session, struct sql_answer *answer, const PGresult *result,
		      char why[SLOW_SOURCE_WHY])
{
	ExecStatusType status = PQresultStatus(result);
	int rows = PQntuples(result);

	if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) {
		for (int row = 0; row < rows; row++) {
			if (add_row(&session->answers, answer, result, row))
				continue;
			snprintf(why, SLOW_SOURCE_WHY, "its answers are larger than 4 MiB");
			return false;
		}
		return true;
	}
	if (PQstatus(session->connection) != CONNECTION_OK ||
	    (status != PGRES_FATAL_ERROR && status != PGRES_COMMAND_OK)) {
		fail(session, why, "a query is answered by something else: ");
		return false;
	}
	if (answer->error == NULL)
		answer->error = status == PGRES_COMMAND_OK
					? mc_alloc_copy("it returns no rows")
					: first_line(PQresultErrorMessage(result));
	return true;
}

static const char *parameter_of(const struct session *session, const char *name)
{
	PGconn *connection = session->connection;
	const char *host = PQhost(connection);

	if (strcasecmp(name, "hostname") == 0)
		return host == NULL || host[0] == '\0' || host[0] == '/' ? "localhost" : host;
	if (strcasecmp(name, "database") == 0)
		return PQdb(connection);
	if (strcasecmp(name, "username") == 0)
		return PQuser(connection);
	if (strcasecmp(name, "interval") == 0)
		return session->interval;
	return session->instance;
}

static bool ask(struct session *session, size_t number, char why[SLOW_SOURCE_WHY])
{
	const struct question *question = &session->questions[number];
	struct sql_answer *answer = &session->answers.items[number];
	const char *parameters[PARAMETERS_MAX];
	PGresult *result;
	bool works = true;

	for (int i = 0; i < question->parameters_len; i++)
		parameters[i] = parameter_of(session, question->parameters[i]);
	answer->asked = true;
	if (!PQsendQueryParams(session->connection, question->statement, question->parameters_len,
			       NULL, parameters, NULL, NULL, 0)) {
		fail(session, why, "");
		return false;
	}
	PQsetSingleRowMode(session->connection);
	while (works && (works = take_result(session, &result, why)) && result != NULL) {
		works = take_part(session, answer, result, why);
		PQclear(result);
	}
	answer->answered = works;
	return works;
}

/* --- The connection ---------------------------------------------------------------- */

static void drop_notice(void *argument, const char *message)
{
	(void)argument, (void)message;
}

static void hang_up(struct session *session)
{
	PQfinish(session->connection); /* NULL is fine. */
	session->connection = NULL;
}

static bool is_connected(struct session *session, char why[SLOW_SOURCE_WHY])
{
	if (session->connection != NULL)
		return true;
	session->connection = PQconnectdbParams((const char *const *)session->keys,
						(const char *const *)session->values, 0);
	if (session->connection != NULL && PQstatus(session->connection) == CONNECTION_OK) {
		PQsetNoticeProcessor(session->connection, drop_notice, NULL);
		return true;
	}
	fail(session, why, "cannot connect: ");
	hang_up(session);
	return false;
}

static bool ask_all(struct session *session, char why[SLOW_SOURCE_WHY])
{
	int version;

	sql_answers_clear(&session->answers);
	if (!is_connected(session, why))
		return false;
	version = PQserverVersion(session->connection);
	for (size_t i = 0; i < session->answers.len; i++) {
		const struct question *question = &session->questions[i];

		if (version >= question->min_version && version <= question->max_version &&
		    !ask(session, i, why)) {
			hang_up(session);
			return false;
		}
	}
	return true;
}

bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	bool is_old = session->connection != NULL;

	if (ask_all(session, why))
		return true;
	/* A server ends connections that are idle. */
	return is_old && session->answers.len > 0 && !session->answers.items[0].answered &&
	       ask_all(session, why);
}

/* --- Life ---------------------------------------------------------------------------- */

static void add_option(struct session *session, const char *key, const char *value)
{
	if (value == NULL)
		return;
	session->keys[session->options] = mc_alloc_copy(key);
	session->values[session->options++] = mc_alloc_copy(value);
}

static void set_options(struct session *session, const struct database_settings *settings)
{
	add_option(session, "dbname", settings->name);
	add_option(session, "host", settings->host);
	add_option(session, "port", settings->port);
	add_option(session, "user", settings->user);
	add_option(session, "password", settings->password);
	add_option(session, "sslmode", settings->ssl_mode);
	add_option(session, "krbsrvname", settings->kerberos);
	add_option(session, "service", settings->service);
	add_option(session, "connect_timeout", CONNECT_TIMEOUT);
	add_option(session, "fallback_application_name", "collector");
}

static void set_question(struct question *question, const struct sql_query *query)
{
	question->statement = mc_alloc_copy(query->statement);
	question->min_version = query->min_version;
	question->max_version = query->max_version;
	for (size_t i = 0; i < query->parameters.len && i < PARAMETERS_MAX; i++)
		question->parameters[question->parameters_len++] =
			mc_alloc_copy(query->parameters.items[i]);
}

void *session_open(const void *settings)
{
	const struct database *database = settings;
	struct session *session = mc_alloc_zero(sizeof(*session));
	mc_time interval = database->settings->interval > 0 ? database->settings->interval
							    : database->ctx->interval;

	set_options(session, database->settings);
	session->instance = mc_alloc_copy(database_instance(database->settings));
	session->interval = mc_alloc_printf("%.3f", (double)interval / MC_SECOND);
	session->questions = mc_alloc_array(database->queries.len, sizeof(struct question));
	sql_answers_init(&session->answers, database->queries.len);
	for (size_t i = 0; i < database->queries.len; i++)
		set_question(&session->questions[i], database->queries.items[i]);
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	hang_up(session);
	for (size_t i = 0; i < session->answers.len; i++) {
		free(session->questions[i].statement);
		for (int j = 0; j < session->questions[i].parameters_len; j++)
			free(session->questions[i].parameters[j]);
	}
	for (size_t i = 0; i < session->options; i++) {
		free(session->keys[i]);
		free(session->values[i]);
	}
	free(session->questions);
	free(session->instance);
	free(session->interval);
	sql_answers_done(&session->answers);
	free(session);
}
