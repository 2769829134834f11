/* SPDX-License-Identifier: MIT */
#include "put.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>
#include <collector/serve.h>

#define WHY_SIZE 256

struct putting {
	struct database *database;
	struct mc_batch *batch;
	const struct database_query *query;
	const struct session_table *table;
	const struct database_result *result;
	const struct mc_type *type;
	size_t row;
	char *why; /* WHY_SIZE; "": no trouble. */
};

/* NULL: this host. */
static const char *host_of(const struct database_settings *settings)
{
	const char *host = settings->host;

	if (host == NULL || host[0] == '/' || host[0] == '\0' || strcmp(host, "localhost") == 0)
		return NULL;
	return host;
}

/* The text of a column in this row; NULL: it is not there, or has no value. */
static const char *cell_of(const struct putting *to, const char *column)
{
	for (size_t i = 0; i < to->table->columns; i++)
		if (strcasecmp(session_cell(to->table, 0, i), column) == 0)
			return session_cell(to->table, to->row, i);
	snprintf(to->why, WHY_SIZE, "has no column '%.100s'", column);
	return NULL;
}

/* --- A row ---------------------------------------------------------------------- */

static bool value_of(const char *text, enum mc_kind kind, union mc_value *value)
{
	double level;

	if (kind == MC_GAUGE)
		return mc_number_double(text, &value->gauge);
	if (kind == MC_DERIVE && mc_number_signed(text, INT64_MIN, INT64_MAX, &value->derive))
		return true;
	if (kind != MC_DERIVE && mc_number_unsigned(text, 10, UINT64_MAX, &value->counter))
		return true;
	/* Sums of PostgreSQL may have decimals. */
	if (!mc_number_double(text, &level) || !(level > -1e18 && level < 1e18) ||
	    (kind != MC_DERIVE && level < 0))
		return false;
	value->derive = (int64_t)level;
	return true;
}

/* "PREFIX-FIRST-SECOND"; false: a column lacks. */
static bool type_instance_of(const struct putting *to, char *name, size_t size)
{
	const struct database_result *result = to->result;
	const char *between = result->prefix != NULL ? "-" : "";
	size_t used;

	snprintf(name, size, "%s", result->prefix != NULL ? result->prefix : "");
	for (size_t i = 0; i < result->instances.len; i++) {
		const char *text = cell_of(to, result->instances.items[i]);

		if (text == NULL && to->why[0] != '\0')
			return false;
		used = strlen(name);
		snprintf(name + used, size - used, "%s%s", between, text != NULL ? text : "");
		between = "-";
	}
	return true;
}

static void put_row(const struct putting *to)
{
	const struct database_settings *settings = to->database->settings;
	const char *plugin_instance = database_instance(settings);
	union mc_value values[MC_SOURCES_MAX];
	char type_instance[512];

	for (unsigned i = 0; i < to->type->sources_len; i++) {
		const char *text = cell_of(to, to->result->values.items[i]);

		if (text == NULL)
			return; /* NULL is no value. */
		if (!value_of(text, to->type->sources[i].kind, &values[i])) {
			snprintf(to->why, WHY_SIZE, "returns no number in '%.100s'",
				 to->result->values.items[i]);
			return;
		}
	}
	if (to->query->plugin_instance != NULL)
		plugin_instance = cell_of(to, to->query->plugin_instance);
	if (!type_instance_of(to, type_instance, sizeof(type_instance)) ||
	    (plugin_instance == NULL && to->why[0] != '\0'))
		return;
	mc_put(to->batch,
	       mc_series(to->batch,
			 MC_ID(.host = host_of(settings), .plugin = settings->plugin,
			       .plugin_instance = plugin_instance, .type = to->result->type,
			       .type_instance = type_instance[0] != '\0' ? type_instance : NULL)),
	       values, to->type->sources_len);
}

/* --- All -------------------------------------------------------------------------- */

static void put_result(struct putting *to, const struct database_result *result)
{
	to->result = result;
	to->type = mc_type_find(to->database->ctx, result->type);
	if (to->type == NULL || to->type->sources_len != result->values.len) {
		snprintf(to->why, WHY_SIZE, "has other values than the type '%.100s'",
			 result->type);
		return;
	}
	for (to->row = 1; to->row <= to->table->rows; to->row++)
		put_row(to);
}

static void put_table(struct putting *to, struct mc_once *trouble)
{
	const struct database_result *results = to->query->results.items;
	struct mc_ctx *ctx = to->database->ctx;
	const char *name = to->database->settings->name;

	to->why[0] = '\0';
	for (size_t i = 0; to->table->error == NULL && i < to->query->results.len; i++)
		put_result(to, &results[i]);
	if (to->table->error != NULL)
		mc_complain(ctx, trouble, 0, "'%s': query '%s' fails: %s", name, to->query->name,
			    to->table->error);
	else if (to->why[0] != '\0')
		mc_complain(ctx, trouble, 0, "'%s': query '%s' %s", name, to->query->name, to->why);
	else
		mc_works(ctx, trouble, "'%s': query '%s' works again", name, to->query->name);
}

void put_answers(void *argument, void *session, struct mc_batch *batch)
{
	struct database *database = argument;
	struct session_table table;
	char why[WHY_SIZE];

	for (size_t i = 0; i < database->len; i++) {
		struct putting to = {
			.database = database,
			.batch = batch,
			.query = database->queries[i],
			.table = &table,
			.why = why,
		};

		if (session_table(session, i, &table) && table.asked)
			put_table(&to, &database->troubles[i]);
	}
}
