/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "interfaces.h"

#define NAME_SIZE 256
#define IF_UP 1 /* ifOperStatus, RFC 2863. */

struct report {
	struct device *device;
	struct pass *pass;
	struct mc_batch *batch;
};

/* --- Names ---------------------------------------------------------------- */

/* Without its prefix: what Ignore is about. */
static const char *bare_instance(const struct plan_instance *instance, const struct row *row,
				 char out[NAME_SIZE])
{
	if (instance->column == PLAN_NONE)
		return mc_object_id_text(&row->index, out, NAME_SIZE);
	return row->cells[instance->column].text;
}

static const char *instance_of(const struct plan_instance *instance, const struct row *row,
			       char out[NAME_SIZE])
{
	char bare[NAME_SIZE];

	if (!instance->wanted)
		return instance->fixed;
	snprintf(out, NAME_SIZE, "%s%s", instance->prefix != NULL ? instance->prefix : "",
		 bare_instance(instance, row, bare));
	return out;
}

static const char *unless_empty(const char *text)
{
	return text != NULL && *text != '\0' ? text : NULL;
}

static struct mc_series *find_series(const struct report *report, const struct plan_data *data,
				     const struct row *row)
{
	char host[NAME_SIZE], plugin[NAME_SIZE], type[NAME_SIZE];
	const char *name = instance_of(&data->host, row, host);
	struct mc_id id = {
		.host = name != NULL ? name : report->device->options.name,
		.plugin = data->options->plugin,
		.plugin_instance = unless_empty(instance_of(&data->plugin_instance, row, plugin)),
		.type = data->type->name,
		.type_instance = unless_empty(instance_of(&data->type_instance, row, type)),
	};

	return mc_series(report->batch, id);
}

/* --- Which rows ----------------------------------------------------------- */

static bool is_ignored(const struct plan_data *data, const struct row *row)
{
	const struct mc_strings *ignore = &data->options->ignore;
	char text[NAME_SIZE];
	const char *bare;

	if (!data->type_instance.wanted)
		return false;
	bare = bare_instance(&data->type_instance, row, text);
	for (size_t i = 0; i < ignore->len; i++)
		if (fnmatch(ignore->items[i], bare, 0) == 0)
			return !data->options->invert;
	return data->options->invert;
}

/* Whether the value of FilterIndexOID in this pass is the index of the row. */
static bool is_indexed(const struct pass *pass, const struct plan_data *data, const struct row *row)
{
	const struct single *single = &pass->singles[data->index];

	return single->pass == pass->number && row->index.len == 1 &&
	       single->number.kind != MC_SNMP_NONE && single->number.positive == row->index.ids[0];
}

/* Lists of names take what has no name, as collectd's do; so what is empty, such as the physical
 * address of a loopback, is taken by every list unless FilterEmpty says otherwise. */
static bool is_filtered(const struct data_options *options, const char *text)
{
	if (options->filter_values != NULL && text[0] == '\0')
		return !options->filter_empty;
	return !mc_selected(options->filter_values, options->filter_ignore, text);
}

static bool is_wanted(const struct report *report, const struct table *table,
		      const struct plan_data *data, const struct row *row)
{
	if (!table_has(table, row, data->columns))
		return false;
	if (data->index != PLAN_NONE && !is_indexed(report->pass, data, row))
		return false;
	if (data->filter != PLAN_NONE && is_filtered(data->options, row->cells[data->filter].text))
		return false;
	return !is_ignored(data, row);
}

/* --- Values --------------------------------------------------------------- */

static bool take_value(const struct plan_data *data, unsigned source,
		       const struct mc_snmp_number *number, union mc_value *value)
{
	return mc_snmp_variable_value(number, data->type->sources[source].kind,
				      data->options->scale, data->options->shift, value);
}

enum put { PUT, WRONG, TWICE, REFUSED /* Its name, for messages. */, PUT_LEN };

static enum put put_row(const struct report *report, struct table *table, unsigned number,
			struct row *row)
{
	const struct plan_data *data = &table->plan->data[number];
	const struct mc_stamp stamp = { row->time, report->pass->interval };
	const struct row_series *series = &row->series[number];
	union mc_value values[MC_SOURCES_MAX];

	if (series->held == NULL)
		return REFUSED;
	for (unsigned i = 0; i < data->values_len; i++)
		if (!take_value(data, i, &row->cells[data->values[i]].number, &values[i]))
			return WRONG;
	if (series->first->pass == table->pass)
		return TWICE;
	series->first->pass = table->pass;
	mc_put_at(report->batch, series->held, stamp, values, data->values_len);
	return PUT;
}

/* --- Rows that share a series --------------------------------------------- */

static int compare_held(const void *a, const void *b)
{
	const struct row_series *one = *(struct row_series *const *)a;
	const struct row_series *other = *(struct row_series *const *)b;

	if (one->held != other->held)
		return one->held < other->held ? -1 : 1;
	/* By the numbers of their rows, which are in order. */
	return one->pass < other->pass ? -1 : 1;
}

/* Rows with one name have the 'first' of them, in the order of the table. */
static void find_shared(struct table *table, unsigned number)
{
	struct row_series **all = mc_alloc_array(table->len, sizeof(struct row_series *));
	size_t len = 0;

	for (size_t i = 0; i < table->len; i++) {
		struct row_series *series = table->rows[i]->series;

		if (series == NULL || series[number].held == NULL)
			continue;
		series[number].pass = (uint32_t)i;
		all[len++] = &series[number];
	}
	if (len > 0)
		qsort(all, len, sizeof(struct row_series *), compare_held);
	for (size_t i = 0; i < len; i++) {
		bool again = i > 0 && all[i - 1]->held == all[i]->held;

		all[i]->first = again ? all[i - 1]->first : all[i];
		table->shared |= again;
	}
	for (size_t i = 0; i < len; i++)
		all[i]->pass = table->pass - 1;
	free(all);
}

static void hold_series(const struct report *report, struct table *table, struct row *row)
{
	const struct plan_table *plan = table->plan;

	if (row->series == NULL)
		row->series = mc_alloc_array(plan->data_len, sizeof(*row->series));
	for (unsigned i = 0; i < plan->data_len; i++) {
		struct row_series *series = &row->series[i];

		if (plan->data[i].options->count || series->held != NULL ||
		    !is_wanted(report, table, &plan->data[i], row))
			continue;
		series->held = mc_hold(find_series(report, &plan->data[i], row));
		table->renamed = true;
	}
}

static void hold_all(const struct report *report, struct table *table)
{
	for (size_t i = 0; i < table->len; i++)
		hold_series(report, table, table->rows[i]);
	if (!table->renamed)
		return;
	table->shared = false;
	for (unsigned i = 0; i < table->plan->data_len; i++)
		find_shared(table, i);
}

/* --- Tables --------------------------------------------------------------- */

static void put_count(const struct report *report, struct table *table,
		      const struct plan_data *data)
{
	const struct mc_stamp stamp = { mc_wall(), report->pass->interval };
	const struct mc_id id = {
		.host = report->device->options.name,
		.plugin = data->options->plugin,
		.plugin_instance = unless_empty(data->options->plugin_instance),
		.type = data->type->name,
		.type_instance = unless_empty(options_type_instance(data->options)),
	};
	struct mc_snmp_number number = { .kind = MC_SNMP_UNSIGNED, .from_text = true };
	union mc_value value;

	for (size_t i = 0; i < table->len; i++)
		number.positive += is_wanted(report, table, data, table->rows[i]);
	if (take_value(data, 0, &number, &value))
		mc_put_at(report->batch, mc_series(report->batch, id), stamp, &value, 1);
}

/* The row that FilterIndexOID names is another one. */
static void tell_move(const struct report *report, struct table *table, unsigned number,
		      const struct row *row)
{
	const struct plan_data *data = &table->plan->data[number];
	char **taken = &table->taken[number], text[NAME_SIZE];
	const char *name;

	if (data->index == PLAN_NONE)
		return;
	name = data->label != PLAN_NONE ? row->cells[data->label].text : NULL;
	if (name == NULL)
		name = mc_object_id_text(&row->index, text, NAME_SIZE);
	if (*taken != NULL && strcmp(*taken, name) == 0)
		return;
	if (*taken != NULL)
		mc_log(report->device->fleet->ctx, MC_NOTE,
		       "'%s': the row for '%s' (%s) moved from '%s' to '%s'",
		       report->device->options.name, data->options->name,
		       data->options->filter_index_oid, *taken, name);
	free(*taken);
	*taken = mc_alloc_copy(name);
}

/* Which of the rows of one name has it: the one that is up, else the one that had it last. */
enum rank { RANK_UP, RANK_LAST, RANK_OTHER, RANK_LEN };

static enum rank rank_of(const struct table *table, const struct row *row, unsigned number)
{
	const struct cell *state;

	if (!table->shared || table->plan->state == PLAN_NONE)
		return RANK_UP;
	state = &row->cells[table->plan->state];
	if (state->pass != table->pass || state->number.positive == IF_UP)
		return RANK_UP;
	return row->series[number].last ? RANK_LAST : RANK_OTHER;
}

static enum put put_ranked(const struct report *report, struct table *table, unsigned number,
			   struct row *row)
{
	enum put put = put_row(report, table, number, row);

	row->series[number].last = put == PUT;
	if (put == PUT)
		tell_move(report, table, number, row);
	return put;
}

static void put_each(const struct report *report, struct table *table, unsigned number,
		     size_t rows[PUT_LEN])
{
	const struct plan_data *data = &table->plan->data[number];
	unsigned len = table->shared ? RANK_LEN : 1;

	for (unsigned rank = 0; rank < len; rank++)
		for (size_t i = 0; i < table->len; i++) {
			struct row *row = table->rows[i];

			if (is_wanted(report, table, data, row) &&
			    rank_of(table, row, number) == rank)
				rows[put_ranked(report, table, number, row)]++;
		}
}

static void put_rows(const struct report *report, struct table *table, unsigned number)
{
	const struct plan_data *data = &table->plan->data[number];
	struct mc_ctx *ctx = report->device->fleet->ctx;
	size_t rows[PUT_LEN] = { 0 };

	put_each(report, table, number, rows);
	report->device->fleet->counts.rows += rows[PUT];
	if (rows[TWICE] > 0)
		mc_complain(ctx, &table->empty[number], 0,
			    "'%s' has rows for '%s' with one name: only one of "
			    "them is taken, one that is up before others",
			    report->device->options.name, data->options->name);
	else if (rows[WRONG] > 0)
		mc_complain(ctx, &table->empty[number], 0,
			    "'%s' has rows for '%s' that are not numbers",
			    report->device->options.name, data->options->name);
	else if (rows[PUT] == 0 && rows[REFUSED] == 0)
		mc_complain(ctx, &table->empty[number], 0, "'%s' has no rows for '%s'",
			    report->device->options.name, data->options->name);
	else
		mc_works(ctx, &table->empty[number], "'%s' has rows for '%s' again",
			 report->device->options.name, data->options->name);
}

static void put_table(const struct report *report, struct table *table)
{
	bool whole = table->phase == TABLE_DONE;

	if (table->plan->data_len > 0)
		hold_all(report, table);
	for (unsigned i = 0; i < table->plan->data_len; i++) {
		const struct plan_data *data = &table->plan->data[i];

		if (!data->options->count)
			put_rows(report, table, i);
		else if (whole)
			put_count(report, table, data);
	}
	if (table->plan->interfaces_len > 0)
		interfaces_report(table, report->device, report->pass->interval, report->batch);
	table->renamed = false;
}

/* --- Single values -------------------------------------------------------- */

static bool put_single(const struct report *report, unsigned number)
{
	struct pass *pass = report->pass;
	const struct plan_data *data = &pass->plan->data[number];
	struct mc_stamp stamp = { 0, pass->interval };
	union mc_value values[MC_SOURCES_MAX];

	for (unsigned i = 0; i < data->values_len; i++) {
		const struct single *single = &pass->singles[data->values[i]];

		if (single->pass != pass->number ||
		    !take_value(data, i, &single->number, &values[i]))
			return false;
		stamp.time = single->time;
	}
	if (pass->held[number] == NULL)
		pass->held[number] = mc_hold(find_series(report, data, NULL));
	mc_put_at(report->batch, pass->held[number], stamp, values, data->values_len);
	return true;
}

static void put_singles(const struct report *report)
{
	struct pass *pass = report->pass;
	struct mc_ctx *ctx = report->device->fleet->ctx;
	const char *lacking = NULL;
	unsigned len = 0;

	for (unsigned i = 0; i < pass->plan->data_len; i++)
		if (!put_single(report, i)) {
			lacking = pass->plan->data[i].options->name;
			len++;
		}
	if (pass->failed)
		return; /* That is logged. */
	mc_works(ctx, &pass->failing, "'%s' gives single values again",
		 report->device->options.name);
	if (len > 0)
		mc_complain(ctx, &pass->lacking, 0, "'%s' has no number for '%s', one of %u",
			    report->device->options.name, lacking, len);
	else
		mc_works(ctx, &pass->lacking, "'%s' has all single values again",
			 report->device->options.name);
}

void report_pass(struct pass *pass, struct device *device)
{
	const struct report report = {
		.device = device,
		.pass = pass,
		.batch = mc_begin(device->fleet->ctx),
	};

	mc_charge(report.batch, device->quota);
	if (pass->plan->singles_len > 0)
		put_singles(&report);
	for (unsigned i = 0; i < pass->plan->tables_len; i++)
		put_table(&report, &pass->tables[i]);
	mc_commit(report.batch);
}
