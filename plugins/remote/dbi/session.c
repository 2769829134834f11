/* SPDX-License-Identifier: MIT */
/* Facts: the programmer's guide of libdbi 0.9.  Each session has an instance of the library of its
 * own, as instances share nothing. */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <dbi/dbi.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

struct question {
	char *statement;
	int64_t min_version, max_version;
};

struct session {
	char *driver, *select;
	char **names, **values; /* Of the driver's options. */
	size_t options;
	struct question *questions;
	struct sql_answers answers; /* One for each question. */
	dbi_inst library;           /* NULL: none. */
	dbi_conn connection;        /* NULL: none. */
	unsigned version;           /* Of the server; 0: unknown. */
	bool worked;                /* The last time. */
};

/* The library's reason, of which only the first line is wanted: its length in 'len'. */
static const char *reason_of(const struct session *session, int *len)
{
	const char *message = NULL;

	if (session->connection != NULL)
		dbi_conn_error(session->connection, &message);
	if (message == NULL)
		message = "the library knows no reason";
	*len = (int)strcspn(message, "\n");
	return message;
}

static bool fail(const struct session *session, char why[SLOW_SOURCE_WHY], const char *what)
{
	int len;
	const char *reason = reason_of(session, &len);

	snprintf(why, SLOW_SOURCE_WHY, "%s: %.*s", what, len, reason);
	return false;
}

/* --- Answers --------------------------------------------------------------------------- */

/* A cell as a text, in 'number' if it is one; NULL: it has no value.  False: its type has no text.
 */
static bool text_of(dbi_result result, unsigned column, char number[64], const char **text)
{
	unsigned attributes = dbi_result_get_field_attribs_idx(result, column);

	*text = number;
	if (dbi_result_field_is_null_idx(result, column) == 1) {
		*text = NULL;
		return true;
	}
	switch (dbi_result_get_field_type_idx(result, column)) {
	case DBI_TYPE_INTEGER:
		if (attributes & DBI_INTEGER_UNSIGNED)
			snprintf(number, 64, "%llu", dbi_result_get_ulonglong_idx(result, column));
		else
			snprintf(number, 64, "%lld", dbi_result_get_longlong_idx(result, column));
		return true;
	case DBI_TYPE_DECIMAL:
		snprintf(number, 64, "%.17g", dbi_result_get_double_idx(result, column));
		return true;
	case DBI_TYPE_STRING:
		*text = dbi_result_get_string_idx(result, column);
		return *text != NULL;
	default:
		return false;
	}
}

/* False, and 'error' of the answer: the rest of it is dropped. */
static bool take_row(struct session *session, struct sql_answer *answer, dbi_result result)
{
	for (unsigned i = 1; i <= answer->columns; i++) {
		const char *text;
		char number[64];

		if (!text_of(result, i, number, &text)) {
			answer->error = mc_alloc_printf("column '%.100s' is neither a number nor a "
							"text",
							dbi_result_get_field_name(result, i));
			return false;
		}
		if (!sql_answers_add(&session->answers, text)) {
			answer->error = mc_alloc_copy("its answers are larger than 4 MiB");
			return false;
		}
	}
	answer->rows++;
	return true;
}

static void take_names(struct session *session, struct sql_answer *answer, dbi_result result)
{
	unsigned columns = dbi_result_get_numfields(result);

	if (columns == DBI_FIELD_ERROR || columns == 0) {
		answer->error = mc_alloc_copy("it returns no rows");
		return;
	}
	answer->columns = columns;
	answer->first = session->answers.cells_len;
	for (unsigned i = 1; i <= columns; i++) {
		const char *name = dbi_result_get_field_name(result, i);

		if (!sql_answers_add(&session->answers, name != NULL ? name : "")) {
			answer->error = mc_alloc_copy("its answers are larger than 4 MiB");
			return;
		}
	}
}

static void ask(struct session *session, size_t number)
{
	struct sql_answer *answer = &session->answers.items[number];
	dbi_result result;

	answer->asked = answer->answered = true;
	result = dbi_conn_query(session->connection, session->questions[number].statement);
	if (result == NULL) {
		int len;
		const char *reason = reason_of(session, &len);

		answer->error = mc_alloc_printf(
			"%.*s", len < SLOW_SOURCE_WHY ? len : SLOW_SOURCE_WHY, reason);
		return;
	}
	take_names(session, answer, result);
	while (answer->error == NULL && dbi_result_next_row(result) == 1)
		if (!take_row(session, answer, result))
			break;
	dbi_result_free(result);
}

/* --- The connection -------------------------------------------------------------------- */

static void hang_up(struct session *session)
{
	if (session->connection != NULL)
		dbi_conn_close(session->connection);
	session->connection = NULL;
}

/* Options that are texts, also of digits alone. */
static bool is_text(const char *name)
{
	static const char *const names[] = { "host", "username", "password", "dbname", "encoding" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool set_options(struct session *session, char why[SLOW_SOURCE_WHY])
{
	for (size_t i = 0; i < session->options; i++) {
		const char *name = session->names[i], *value = session->values[i];
		int64_t number;
		int rc;

		if (!is_text(name) && mc_number_signed(value, INT32_MIN, INT32_MAX, &number))
			rc = dbi_conn_set_option_numeric(session->connection, name, (int)number);
		else
			rc = dbi_conn_set_option(session->connection, name, value);
		if (rc != 0)
			return fail(session, why, "the driver refuses an option");
	}
	return true;
}

/* False: it finds no driver at all. */
static bool load(struct session *session)
{
	if (session->library != NULL)
		return true;
	if (dbi_initialize_r(NULL, &session->library) > 0) {
		dbi_set_verbosity_r(0, session->library); /* Else it writes to standard error. */
		return true;
	}
	if (session->library != NULL)
		dbi_shutdown_r(session->library);
	session->library = NULL;
	return false;
}

static bool connect_to(struct session *session, char why[SLOW_SOURCE_WHY])
{
	dbi_driver driver = NULL;

	if (load(session))
		driver = dbi_driver_open_r(session->driver, session->library);
	if (driver != NULL)
		session->connection = dbi_conn_open(driver);
	if (session->connection == NULL) {
		snprintf(why, SLOW_SOURCE_WHY, "there is no driver '%.100s'", session->driver);
		return false;
	}
	if (!set_options(session, why))
		return false;
	if (dbi_conn_connect(session->connection) != 0)
		return fail(session, why, "cannot connect");
	if (session->select != NULL &&
	    dbi_conn_select_db(session->connection, session->select) != 0)
		return fail(session, why, "cannot select the database");
	session->version = dbi_conn_get_engine_version(session->connection);
	return true;
}

static bool is_connected(struct session *session, char why[SLOW_SOURCE_WHY])
{
	if (session->connection != NULL || connect_to(session, why))
		return true;
	hang_up(session);
	return false;
}

/* Whether a query works. */
static bool has_answers(const struct session *session)
{
	for (size_t i = 0; i < session->answers.len; i++)
		if (session->answers.items[i].asked && session->answers.items[i].error == NULL)
			return true;
	return session->answers.len == 0;
}

static bool ask_all(struct session *session, char why[SLOW_SOURCE_WHY])
{
	unsigned version;

	sql_answers_clear(&session->answers);
	if (!is_connected(session, why))
		return false;
	version = session->version;
	for (size_t i = 0; i < session->answers.len; i++) {
		const struct question *question = &session->questions[i];

		if (version == 0 ||
		    (version >= question->min_version && version <= question->max_version))
			ask(session, i);
	}
	return true;
}

/* If all queries fail the connection is taken for lost: a server ends those that are idle.  It is
 * not pinged, as drivers lose memory with each ping. */
bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	bool works = ask_all(session, why);

	if (works && !has_answers(session)) {
		hang_up(session);
		if (session->worked)
			works = ask_all(session, why);
	}
	session->worked = works && has_answers(session);
	return works;
}

const struct sql_answers *session_answers(const void *session)
{
	return &((const struct session *)session)->answers;
}

/* --- Life ------------------------------------------------------------------------------ */

void *session_open(const void *argument)
{
	const struct session_database *database = argument;
	const struct session_settings *settings = database->settings;
	const struct session_option *options = settings->options.items;
	struct session *session = mc_alloc_zero(sizeof(*session));
	size_t len = database->queries.len;

	session->driver = mc_alloc_copy(settings->driver);
	session->select = mc_alloc_copy(settings->select);
	session->options = settings->options.len;
	session->names = mc_alloc_array(session->options, sizeof(char *));
	session->values = mc_alloc_array(session->options, sizeof(char *));
	for (size_t i = 0; i < session->options; i++) {
		session->names[i] = mc_alloc_copy(options[i].name);
		session->values[i] = mc_alloc_copy(options[i].value);
	}
	session->questions = mc_alloc_array(len, sizeof(struct question));
	sql_answers_init(&session->answers, len);
	for (size_t i = 0; i < len; i++) {
		const struct sql_query *query = database->queries.items[i];

		session->questions[i] = (struct question){
			.statement = mc_alloc_copy(query->statement),
			.min_version = query->min_version,
			.max_version = query->max_version,
		};
	}
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	hang_up(session);
	if (session->library != NULL)
		dbi_shutdown_r(session->library);
	for (size_t i = 0; i < session->answers.len; i++)
		free(session->questions[i].statement);
	for (size_t i = 0; i < session->options; i++) {
		free(session->names[i]);
		free(session->values[i]);
	}
	free(session->names);
	free(session->values);
	free(session->questions);
	free(session->driver);
	free(session->select);
	sql_answers_done(&session->answers);
	free(session);
}
