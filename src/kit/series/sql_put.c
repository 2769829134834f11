/* SPDX-License-Identifier: MIT */
#include "kit/series/sql_put.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>
#include <collector/serve.h>

#define WHY_SIZE 256

struct putting {
	struct mc_ctx *ctx;
	const struct sql_put_names *names;
	struct mc_batch *batch;
	const struct sql_query *query;
	const struct sql_answers *answers;
	const struct sql_answer *answer;
	const struct sql_query_result *result;
	const struct mc_type *type;
	size_t row;
	char *why; /* WHY_SIZE; "": no trouble. */
};

/* The text of a column in this row; NULL: it is not there, or has no value. */
static const char *cell_of(const struct putting *to, const char *column)
{
	for (size_t i = 0; i < to->answer->columns; i++)
		if (strcasecmp(sql_answers_cell(to->answers, to->answer, 0, i), column) == 0)
			return sql_answers_cell(to->answers, to->answer, to->row, i);
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
	/* Sums may have decimals. */
	if (!mc_number_double(text, &level) || !(level > -1e18 && level < 1e18) ||
	    (kind != MC_DERIVE && level < 0))
		return false;
	value->derive = (int64_t)level;
	return true;
}

/* "PREFIX-FIRST-SECOND"; false: a column lacks. */
static bool type_instance_of(const struct putting *to, char *name, size_t size)
{
	const struct sql_query_result *result = to->result;
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
	const char *plugin_instance = to->names->plugin_instance;
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
			 MC_ID(.host = to->names->host, .plugin = to->names->plugin,
			       .plugin_instance = plugin_instance, .type = to->result->type,
			       .type_instance = type_instance[0] != '\0' ? type_instance : NULL)),
	       values, to->type->sources_len);
}

/* --- All -------------------------------------------------------------------------- */

static void put_result(struct putting *to, const struct sql_query_result *result)
{
	to->result = result;
	to->type = mc_type_find(to->ctx, result->type);
	if (to->type == NULL || to->type->sources_len != result->values.len) {
		snprintf(to->why, WHY_SIZE, "has other values than the type '%.100s'",
			 result->type);
		return;
	}
	for (to->row = 1; to->row <= to->answer->rows; to->row++)
		put_row(to);
}

static void put_answer(struct putting *to, struct mc_once *trouble)
{
	const struct sql_query_result *results = to->query->results.items;
	const char *name = to->names->name, *error = to->answer->error;

	to->why[0] = '\0';
	for (size_t i = 0; error == NULL && to->answer->columns > 0 && i < to->query->results.len;
	     i++)
		put_result(to, &results[i]);
	if (error != NULL)
		mc_complain(to->ctx, trouble, 0, "'%s': query '%s' fails: %s", name,
			    to->query->name, error);
	else if (to->why[0] != '\0')
		mc_complain(to->ctx, trouble, 0, "'%s': query '%s' %s", name, to->query->name,
			    to->why);
	else
		mc_works(to->ctx, trouble, "'%s': query '%s' works again", name, to->query->name);
}

void sql_put(struct mc_ctx *ctx, const struct sql_put_names *names,
	     const struct sql_query_list *queries, const struct sql_answers *answers,
	     struct mc_batch *batch)
{
	char why[WHY_SIZE];

	for (size_t i = 0; i < queries->len && i < answers->len; i++) {
		struct putting to = {
			.ctx = ctx,
			.names = names,
			.batch = batch,
			.query = queries->items[i],
			.answers = answers,
			.answer = &answers->items[i],
			.why = why,
		};

		if (to.answer->asked && to.answer->answered)
			put_answer(&to, &queries->troubles[i]);
	}
}
