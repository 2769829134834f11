/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include <net-snmp/library/asn1.h>
#include <net-snmp/library/snmp_impl.h>

#include <collector/kit/alloc.h>

#include "interfaces.h"

#define SIZE_GUESSED 26 /* Bytes of a variable that was never seen. */
#define SIZES_PASSES 8  /* In one of these they are looked at again. */

void table_init(struct table *table, const struct plan_table *plan, size_t rows_max)
{
	*table = (struct table){
		.plan = plan,
		.rows_max = rows_max,
		.empty = mc_alloc_array(plan->data_len, sizeof(*table->empty)),
		.taken = mc_alloc_array(plan->data_len, sizeof(*table->taken)),
	};
}

static void release_names(struct table *table, struct row *row)
{
	table->renamed = true;
	if (row->series == NULL)
		return;
	for (unsigned i = 0; i < table->plan->data_len; i++) {
		mc_release(row->series[i].held);
		row->series[i] = (struct row_series){ 0 };
	}
}

static void row_free(struct table *table, struct row *row)
{
	for (unsigned i = 0; i < table->plan->columns_len; i++)
		free(row->cells[i].text);
	release_names(table, row);
	interfaces_row_free(row->interface);
	free(row->series);
	free(row);
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->len; i++)
		row_free(table, table->rows[i]);
	for (unsigned i = 0; i < table->plan->data_len; i++)
		free(table->taken[i]);
	free(table->taken);
	free(table->rows);
	free(table->empty);
	table->rows = NULL;
}

/* --- Rows ----------------------------------------------------------------- */

/* The first row after 'index'. */
static size_t row_behind(const struct table *table, const struct mc_object_id *index)
{
	size_t low = 0, high = table->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mc_object_id_compare(&table->rows[middle]->index, index) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t table_count(const struct table *table, const struct mc_object_id *index,
		   const struct mc_object_id *upto)
{
	size_t from = row_behind(table, index);
	size_t to = upto->len > 0 ? row_behind(table, upto) : table->len;

	return to > from ? to - from : 0;
}

static bool is_at(const struct table *table, size_t at, const struct mc_object_id *index)
{
	return at < table->len && mc_object_id_compare(&table->rows[at]->index, index) == 0;
}

static struct row *row_new(struct table *table, const struct mc_object_id *index)
{
	size_t cells = table->plan->columns_len * sizeof(struct cell);
	size_t ids = index->len * sizeof(*index->ids);
	struct row *row = mc_alloc_zero(sizeof(*row) + cells + ids);

	row->index.ids = memcpy((char *)(row + 1) + cells, index->ids, ids);
	row->index.len = index->len;
	return row;
}

struct row *table_row(struct table *table, const struct mc_object_id *index)
{
	size_t at;

	/* An answer has a row's columns, or the next row. */
	if (is_at(table, table->cursor, index))
		return table->rows[table->cursor];
	if (is_at(table, table->cursor + 1, index))
		return table->rows[++table->cursor];
	at = row_behind(table, index);
	if (at > 0 && is_at(table, at - 1, index)) {
		table->cursor = at - 1;
		return table->rows[at - 1];
	}
	if (table->len >= table->rows_max) {
		table->full = true;
		return NULL;
	}
	MC_ARRAY_GROW(table->rows, table->len, table->room);
	memmove(table->rows + at + 1, table->rows + at, (table->len - at) * sizeof(struct row *));
	table->rows[at] = row_new(table, index);
	table->len++;
	table->cursor = at;
	table->renamed = true;
	return table->rows[at];
}

/* A row that is called otherwise begins anew. */
static void take_text(struct table *table, struct row *row, unsigned column,
		      const netsnmp_variable_list *variable)
{
	bool kept = (table->plan->kept >> column & 1) != 0;
	struct cell *cell = &row->cells[column];
	char text[MC_SNMP_TEXT_SIZE];

	if (!mc_snmp_variable_text(variable, text))
		text[0] = '\0';
	if (cell->text != NULL && strcmp(cell->text, text) == 0)
		return;
	/* Its values may have been read before that. */
	if (cell->text != NULL && kept)
		row->renamed = table->pass;
	free(cell->text);
	cell->text = mc_alloc_copy(text);
	release_names(table, row);
}

static void take_size(struct table *table, unsigned column, const netsnmp_variable_list *variable)
{
	size_t size = mc_snmp_variable_size(variable);

	if (size > table->sizes[column])
		table->sizes[column] = size < UINT16_MAX ? (uint16_t)size : UINT16_MAX;
}

void table_take(struct table *table, struct row *row, unsigned column,
		const netsnmp_variable_list *variable)
{
	struct cell *cell = &row->cells[column];
	plan_columns bit = (plan_columns)1 << column;
	struct mc_snmp_number number;

	if (table->pass == 1 || table->pass % SIZES_PASSES == 0)
		take_size(table, column, variable);
	number = mc_snmp_variable_number(variable);
	/* A counter that falls may be that of another interface. */
	if (table->plan->kept != 0 && number.kind == MC_SNMP_UNSIGNED &&
	    cell->number.kind == MC_SNMP_UNSIGNED && variable->type != ASN_GAUGE &&
	    number.positive < cell->number.positive)
		table->stale = true;
	cell->pass = table->pass;
	cell->number = number;
	if (table->plan->columns[column].text)
		take_text(table, row, column, variable);
	if ((table->plan->kept & bit) != 0)
		return;
	if (row->pass != table->pass) {
		row->time = mc_wall();
		row->arrived = mc_now();
	}
	row->pass = table->pass;
}

void table_named(struct table *table, mc_time now)
{
	for (size_t i = 0; i < table->len; i++) {
		struct row *row = table->rows[i];

		for (unsigned j = 0; j < table->plan->columns_len; j++) {
			struct cell *cell = &row->cells[j];

			if ((table->plan->kept >> j & 1) == 0 || cell->pass == table->pass ||
			    cell->text == NULL)
				continue;
			free(cell->text); /* It has none any more. */
			cell->text = NULL;
			release_names(table, row);
		}
		row->named = true;
	}
	table->named = now;
	table->stale = false;
}

bool table_wants_names(const struct table *table)
{
	if (table->plan->kept == 0)
		return false;
	for (size_t i = 0; i < table->len; i++)
		if (!table->rows[i]->named)
			return true;
	return table->stale;
}

void table_sweep(struct table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->len; i++) {
		if (table->rows[i]->pass == table->pass)
			table->rows[kept++] = table->rows[i];
		else
			row_free(table, table->rows[i]);
	}
	table->len = kept;
	table->cursor = 0;
}

/* --- Columns -------------------------------------------------------------- */

static plan_columns all(const struct table *table)
{
	unsigned len = table->plan->columns_len;

	return len == PLAN_COLUMNS_MAX ? ~(plan_columns)0 : ((plan_columns)1 << len) - 1;
}

/* That of ifOperStatus, as long as nothing depends on it: unless it is a column
 * that is asked for anyway. */
static plan_columns idle(const struct table *table)
{
	plan_columns bit;

	if (table->plan->state == PLAN_NONE || table->shared)
		return 0;
	bit = (plan_columns)1 << table->plan->state;
	for (unsigned i = 0; i < table->plan->data_len; i++)
		if ((table->plan->data[i].columns & bit) != 0)
			return 0;
	return bit;
}

plan_columns table_live(const struct table *table)
{
	return all(table) & ~table->plan->kept & ~table->absent & ~idle(table);
}

unsigned table_fit(const struct table *table, plan_columns columns, size_t size)
{
	size_t row = 0;

	for (unsigned i = 0; i < table->plan->columns_len; i++)
		if ((columns >> i & 1) != 0)
			row += table->sizes[i] > 0 ? table->sizes[i] : SIZE_GUESSED;
	if (row == 0 || size < row)
		return 1;
	return (unsigned)(size / row);
}

bool table_has(const struct table *table, const struct row *row, plan_columns columns)
{
	if (row->renamed == table->pass)
		return false;
	for (unsigned i = 0; i < table->plan->columns_len; i++) {
		plan_columns bit = (plan_columns)1 << i;

		if ((columns & bit) == 0)
			continue;
		if ((table->plan->kept & bit) != 0) {
			if (row->cells[i].text == NULL)
				return false;
		} else if (row->cells[i].pass != table->pass) {
			return false;
		}
	}
	return true;
}
