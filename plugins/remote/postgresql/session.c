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

#define ANSWERS_SIZE_MAX ((size_t)4 << 20) /* Bytes of all answers of an interval. */
#define SILENCE_MAX 10000                  /* Milliseconds that a server may be silent. */
#define CONNECT_TIMEOUT "10"               /* Seconds. */
#define PARAMETERS_MAX 16
#define OPTIONS_MAX 12

struct question {
	char *statement;
	char *parameters[PARAMETERS_MAX]; /* Names of them. */
	int parameters_len;
	int64_t min_version, max_version;

	/* The answer. */
	bool asked, answered;
	char *error;
	size_t columns, rows, first; /* The number of its first cell. */
};

struct session {
	char *keys[OPTIONS_MAX + 1], *values[OPTIONS_MAX + 1]; /* Of the connection. */
	size_t options;
	char *instance, *interval;
	struct question *questions;
	size_t len;
	PGconn *connection; /* NULL: none. */

	struct mc_buffer texts;
	size_t *cells, cells_len, cells_capacity; /* Where each begins. */
};

/* --- Answers ------------------------------------------------------------------- */

static void forget_answers(struct session *session)
{
	mc_buffer_clear(&session->texts);
	session->cells_len = 0;
	for (size_t i = 0; i < session->len; i++) {
		struct question *question = &session->questions[i];

		free(question->error);
		question->error = NULL;
		question->asked = question->answered = false;
		question->columns = question->rows = 0;
	}
}

static bool add_cell(struct session *session, const char *text)
{
	size_t size = text != NULL ? strlen(text) + 1 : 0;

	if (session->texts.size + size + session->cells_len * sizeof(size_t) > ANSWERS_SIZE_MAX)
		return false;
	if (session->cells_len == session->cells_capacity) {
		session->cells_capacity =
			session->cells_capacity > 0 ? 2 * session->cells_capacity : 256;
		session->cells =
			mc_alloc_resize(session->cells, session->cells_capacity, sizeof(size_t));
	}
	session->cells[session->cells_len++] = text != NULL ? session->texts.size : SESSION_NULL;
	mc_buffer_add(&session->texts, text, size);
	return true;
}

static bool add_row(struct session *session, struct question *question, const PGresult *result,
		    int row)
{
	int columns = PQnfields(result);

	if (question->columns == 0) {
		question->columns = (size_t)columns;
		question->first = session->cells_len;
		for (int i = 0; i < columns; i++)
			if (!add_cell(session, PQfname(result, i)))
				return false;
	}
	if ((size_t)columns != question->columns)
		return false;
	for (int i = 0; i < columns; i++)
		if (!add_cell(session,
			      PQgetisnull(result, row, i) ? NULL : PQgetvalue(result, row, i)))
			return false;
	question->rows++;
	return true;
}

bool session_table(const void *argument, size_t number, struct session_table *table)
{
	const struct session *session = argument;
	const struct question *question = &session->questions[number];

	if (number >= session->len || (question->asked && !question->answered))
		return false;
	*table = (struct session_table){
		.asked = question->asked,
		.error = question->error,
		.columns = question->columns,
		.rows = question->rows,
		.cells = question->columns > 0 ? session->cells + question->first : NULL,
		.texts = session->texts.at,
	};
	return true;
}

const char *session_cell(const struct session_table *table, size_t row, size_t column)
{
	size_t at = table->cells[row * table->columns + column];

	return at != SESSION_NULL ? table->texts + at : NULL;
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
static bool take_part(struct session *session, struct question *question, const PGresult *result,
		      char why[SLOW_SOURCE_WHY])
{
	ExecStatusType status = PQresultStatus(result);
	int rows = PQntuples(result);

	if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) {
		for (int row = 0; row < rows; row++) {
			if (add_row(session, question, result, row))
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
	if (question->error == NULL)
		question->error = status == PGRES_COMMAND_OK
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

static bool ask(struct session *session, struct question *question, char why[SLOW_SOURCE_WHY])
{
	const char *parameters[PARAMETERS_MAX];
	PGresult *result;
	bool works = true;

	for (int i = 0; i < question->parameters_len; i++)
		parameters[i] = parameter_of(session, question->parameters[i]);
	question->asked = true;
	if (!PQsendQueryParams(session->connection, question->statement, question->parameters_len,
			       NULL, parameters, NULL, NULL, 0)) {
		fail(session, why, "");
		return false;
	}
	PQsetSingleRowMode(session->connection);
	while (works && (works = take_result(session, &result, why)) && result != NULL) {
		works = take_part(session, question, result, why);
		PQclear(result);
	}
	question->answered = works;
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

	forget_answers(session);
	if (!is_connected(session, why))
		return false;
	version = PQserverVersion(session->connection);
	for (size_t i = 0; i < session->len; i++) {
		struct question *question = &session->questions[i];

		if (version >= question->min_version && version <= question->max_version &&
		    !ask(session, question, why)) {
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
	return is_old && session->len > 0 && !session->questions[0].answered &&
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

static void set_question(struct question *question, const struct database_query *query)
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
	session->questions = mc_alloc_array(database->len, sizeof(struct question));
	session->len = database->len;
	for (size_t i = 0; i < session->len; i++)
		set_question(&session->questions[i], database->queries[i]);
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	hang_up(session);
	forget_answers(session);
	for (size_t i = 0; i < session->len; i++) {
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
	mc_buffer_free(&session->texts);
	free(session->cells);
	free(session);
}
