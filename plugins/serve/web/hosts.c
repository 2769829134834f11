/* SPDX-License-Identifier: MIT */
#include "hosts.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "api.h"
#include "web.h"

#define HOSTS_MAX 10000 /* Of one answer. */

static const char *const states[HOST_STATES_LEN] = {
	[HOST_OKAY] = "okay",       [HOST_WARNING] = "warning", [HOST_MISSING] = "missing",
	[HOST_FAILURE] = "failure", [HOST_SILENT] = "silent",   [HOST_ENDED] = "ended",
	[HOST_AWAITED] = "awaited",
};

/* --- Columns -------------------------------------------------------------- */

/* Figures are those of enum host_value; the others have functions of their own. */
struct column {
	const char *name;
	int value;                                /* Of enum host_value; < 0: none. */
	int (*order)(const void *, const void *); /* Of const struct host_row *. */
	void (*print)(struct mc_json *, const char *key, const struct host_row *);
};

static bool is_present(const struct host_row *row)
{
	return row->state < HOST_SILENT;
}

static int larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

static int by_name(const void *a, const void *b)
{
	const struct host_row *const *left = a, *const *right = b;

	return strverscmp((*left)->name, (*right)->name);
}

/* Those that are silent come first, those that may still come back last. */
static int presence(const struct host_row *row)
{
	return row->state == HOST_AWAITED ? 2 : is_present(row);
}

/* Bad states come first. */
static int by_state(const void *a, const void *b)
{
	const struct host_row *left = *(const struct host_row *const *)a;
	const struct host_row *right = *(const struct host_row *const *)b;
	int order = presence(left) - presence(right);

	if (order == 0)
		order = larger_first(left->failure + left->missing,
				     right->failure + right->missing);
	if (order == 0)
		order = larger_first(left->warning, right->warning);
	return order != 0 ? order : strverscmp(left->name, right->name);
}

/* The largest comes first, and those without any last. */
static int by_number(double left, double right, const void *a, const void *b)
{
	left = isnan(left) ? -INFINITY : left;
	right = isnan(right) ? -INFINITY : right;
	return left != right ? (left < right) - (left > right) : by_name(a, b);
}

#define BY_FIGURE(name, field)                                                                     \
	static int by_##name(const void *a, const void *b)                                         \
	{                                                                                          \
		return by_number((double)(*(const struct host_row *const *)a)->field,              \
				 (double)(*(const struct host_row *const *)b)->field, a, b);       \
	}
BY_FIGURE(cpu, values[HOST_CPU])
BY_FIGURE(wait, values[HOST_WAIT])
BY_FIGURE(memory, values[HOST_MEMORY])
BY_FIGURE(disk, values[HOST_DISK])
BY_FIGURE(load, values[HOST_LOAD])
BY_FIGURE(metric, metric)
BY_FIGURE(series, series)
BY_FIGURE(time, newest)

static void print_name(struct mc_json *json, const char *key, const struct host_row *row)
{
	mc_json_text(json, key, row->name);
}

static void print_state(struct mc_json *json, const char *key, const struct host_row *row)
{
	mc_json_text(json, key, states[row->state]);
}

/* Three digits are enough to compare hosts by. */
static void print_figure(struct mc_json *json, const char *key, double value)
{
	char text[32];

	if (isfinite(value)) {
		snprintf(text, sizeof(text), "%.3g", value);
		value = strtod(text, NULL);
	}
	mc_json_number(json, key, value);
}

static void print_metric(struct mc_json *json, const char *key, const struct host_row *row)
{
	print_figure(json, key, row->metric);
}

static void print_series(struct mc_json *json, const char *key, const struct host_row *row)
{
	mc_json_unsigned(json, key, row->series);
}

static void print_time(struct mc_json *json, const char *key, const struct host_row *row)
{
	mc_json_seconds(json, key, row->newest);
}

static const struct column columns[] = {
	{ "host", -1, by_name, print_name },        { "state", -1, by_state, print_state },
	{ "cpu", HOST_CPU, by_cpu, NULL },          { "wait", HOST_WAIT, by_wait, NULL },
	{ "memory", HOST_MEMORY, by_memory, NULL }, { "disk", HOST_DISK, by_disk, NULL },
	{ "load", HOST_LOAD, by_load, NULL },       { "metric", -1, by_metric, print_metric },
	{ "series", -1, by_series, print_series },  { "time", -1, by_time, print_time },
};
#define COLUMNS_LEN (sizeof(columns) / sizeof(*columns))

static const struct column *column_of(const char *name, size_t size)
{
	for (size_t i = 0; i < COLUMNS_LEN; i++)
		if (strncmp(columns[i].name, name, size) == 0 && columns[i].name[size] == '\0')
			return &columns[i];
	return NULL;
}

static void print_column(struct mc_json *json, const char *key, const struct column *column,
			 const struct host_row *row)
{
	if (column->print != NULL)
		column->print(json, key, row);
	else
		print_figure(json, key, row->values[column->value]);
}

/* --- What is asked --------------------------------------------------------- */

struct question {
	const char *glob, *text;   /* NULL: all. */
	char label[MC_LABEL_SIZE]; /* "": whatever labels they have. */
	const char *label_value;
	const char *group;                             /* Name of a label, or NULL. */
	const char *metric;                            /* Or NULL. */
	const struct column *columns[COLUMNS_LEN + 1]; /* NULL ends; none: rows. */
	const struct column *order;
	int64_t reverse, offset, limit;
};

static bool read_label(struct mc_httpd_request *request, struct question *question)
{
	const char *label = mc_httpd_query(request, "label");
	size_t size;

	if (label == NULL)
		return true;
	size = strcspn(label, ":");
	if (label[size] == '\0' || size == 0 || size >= sizeof(question->label)) {
		answer_refuse(request, 400, "'label' is not NAME:VALUE");
		return false;
	}
	memcpy(question->label, label, size);
	question->label_value = label + size + 1;
	return true;
}

static bool read_order(struct mc_httpd_request *request, struct question *question)
{
	const char *order = mc_httpd_query(request, "order");

	if (order == NULL || strcmp(order, "name") == 0)
		order = "host";
	question->order = column_of(order, strlen(order));
	if (question->order != NULL)
		return true;
	answer_refuse(request, 400, "'order' is neither name nor a column");
	return false;
}

static bool read_columns(struct mc_httpd_request *request, struct question *question)
{
	const char *at = mc_httpd_query(request, "columns");
	size_t len = 0;

	while (at != NULL) {
		size_t size = strcspn(at, ",");

		question->columns[len] = column_of(at, size);
		if (question->columns[len++] == NULL || len == COLUMNS_LEN) {
			answer_refuse(request, 400, "'columns' has a name that is no column");
			return false;
		}
		at = at[size] == ',' ? at + size + 1 : NULL;
	}
	return true;
}

static bool read_metric(struct mc_httpd_request *request, struct question *question)
{
	question->metric = mc_httpd_query(request, "metric");
	if (question->metric == NULL ||
	    (*question->metric != '\0' && strlen(question->metric) < HOST_METRIC_SIZE))
		return true;
	answer_refuse(request, 400, "'metric' is empty or too long");
	return false;
}

static bool read_question(struct mc_httpd_request *request, struct question *question)
{
	*question = (struct question){
		.glob = mc_httpd_query(request, "match"),
		.text = mc_httpd_query(request, "text"),
		.group = mc_httpd_query(request, "group"),
	};
	return api_number(request, "offset", (struct api_bounds){ 0, INT64_MAX, 0 },
			  &question->offset) &&
	       api_number(request, "limit", (struct api_bounds){ 0, HOSTS_MAX, HOSTS_MAX },
			  &question->limit) &&
	       api_number(request, "reverse", (struct api_bounds){ 0, 1, 0 }, &question->reverse) &&
	       read_label(request, question) && read_order(request, question) &&
	       read_columns(request, question) && read_metric(request, question);
}

/* --- Which of them ---------------------------------------------------------- */

struct wanted_label {
	const char *name, *value; /* value NULL: any. */
	bool found;
	char *copy; /* Of the value that it has, if not NULL. */
	size_t copy_size;
};

static void look_for_label(void *argument, const struct mc_field *label)
{
	struct wanted_label *wanted = argument;

	if (strcmp(label->name, wanted->name) != 0 ||
	    (wanted->value != NULL && strcmp(label->value, wanted->value) != 0))
		return;
	wanted->found = true;
	if (wanted->copy != NULL)
		snprintf(wanted->copy, wanted->copy_size, "%s", label->value);
}

static bool matches(struct mc_ctx *ctx, const struct question *question, const struct host_row *row)
{
	struct wanted_label wanted = { question->label, question->label_value, false, NULL, 0 };

	if (row->is_past && question->glob == NULL && question->text == NULL)
		return false; /* It is found by its name. */
	if (question->glob != NULL && fnmatch(question->glob, row->name, 0) != 0)
		return false;
	if (question->text != NULL && strcasestr(row->name, question->text) == NULL)
		return false;
	if (question->label[0] != '\0')
		host_table_each_label(ctx, row, look_for_label, &wanted);
	return question->label[0] == '\0' || wanted.found;
}

/* Those that are asked for, by name; the caller frees the list.  One host alone is found by its
 * name. */
static const struct host_row **matching(struct mc_ctx *ctx, const struct question *question,
					const struct host_table *table, size_t *len)
{
	const struct host_row **all, *only = NULL;

	if (question->glob != NULL && strpbrk(question->glob, "*?[\\") == NULL)
		only = host_table_find(table, question->glob);
	all = mc_alloc_array((only != NULL ? 1 : table->len) + 1, sizeof(*all));
	*len = 0;
	if (only != NULL && matches(ctx, question, only))
		all[(*len)++] = only;
	for (size_t i = 0; i < table->len && only == NULL; i++)
		if (matches(ctx, question, table->rows[i]))
			all[(*len)++] = table->rows[i];
	return all;
}

static void reverse(const struct host_row **rows, size_t len)
{
	for (size_t i = 0; i < len / 2; i++) {
		const struct host_row *row = rows[i];

		rows[i] = rows[len - 1 - i];
		rows[len - 1 - i] = row;
	}
}

/* --- As JSON ---------------------------------------------------------------- */

static void add_label(void *argument, const struct mc_field *label)
{
	mc_json_text(argument, label->name, label->value);
}

static void print_row(struct mc_ctx *ctx, struct mc_json *json, const struct question *question,
		      const struct host_row *row)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "host", row->name);
	mc_json_text(json, "state", states[row->state]);
	mc_json_bool(json, "present", is_present(row));
	mc_json_seconds(json, "time", row->newest);
	mc_json_unsigned(json, "series", row->series);
	mc_json_unsigned(json, "missing", row->missing);
	mc_json_unsigned(json, "warning", row->warning);
	mc_json_unsigned(json, "failure", row->failure);
	for (size_t i = 0; i < COLUMNS_LEN; i++)
		if (columns[i].value >= 0)
			print_figure(json, columns[i].name, row->values[columns[i].value]);
	if (question->metric != NULL)
		print_figure(json, "metric", row->metric);
	mc_json_map(json, "labels");
	host_table_each_label(ctx, row, add_label, json);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static void print_group(struct mc_ctx *ctx, struct mc_json *json, const char *name,
			const struct host_row *row)
{
	char value[MC_LABEL_SIZE] = "";
	struct wanted_label wanted = { name, NULL, false, value, sizeof(value) };

	host_table_each_label(ctx, row, look_for_label, &wanted);
	mc_json_text(json, NULL, value);
}

static void print_columns(struct mc_ctx *ctx, struct mc_json *json, const struct question *question,
			  const struct host_row **rows, size_t len)
{
	mc_json_map(json, "columns");
	for (const struct column *const *column = question->columns; *column != NULL; column++) {
		mc_json_list(json, (*column)->name);
		for (size_t i = 0; i < len; i++)
			print_column(json, NULL, *column, rows[i]);
		mc_json_list_end(json);
	}
	if (question->group != NULL) {
		mc_json_list(json, "group");
		for (size_t i = 0; i < len; i++)
			print_group(ctx, json, question->group, rows[i]);
		mc_json_list_end(json);
	}
	mc_json_map_end(json);
}

static void print_page(struct mc_ctx *ctx, struct mc_json *json, const struct question *question,
		       const struct host_row **rows, size_t len)
{
	size_t first = question->offset < (int64_t)len ? (size_t)question->offset : len;
	size_t page = len - first;

	if ((int64_t)page > question->limit)
		page = (size_t)question->limit;
	if (question->columns[0] != NULL) {
		print_columns(ctx, json, question, rows + first, page);
		return;
	}
	mc_json_list(json, "hosts");
	for (size_t i = first; i < first + page; i++)
		print_row(ctx, json, question, rows[i]);
	mc_json_list_end(json);
}

static void print_counts(struct mc_json *json, const struct host_row **rows, size_t len)
{
	uint64_t counts[HOST_STATES_LEN] = { 0 };

	for (size_t i = 0; i < len; i++)
		counts[rows[i]->state]++;
	mc_json_unsigned(json, "matched", len);
	mc_json_unsigned(json, "silent", counts[HOST_SILENT] + counts[HOST_ENDED]);
	mc_json_map(json, "states");
	for (unsigned i = 0; i < HOST_STATES_LEN; i++)
		if (counts[i] > 0)
			mc_json_unsigned(json, states[i], counts[i]);
	mc_json_map_end(json);
}

/* Facts about the table as a whole. */
static void print_table(struct mc_json *json, const struct host_table *table)
{
	mc_time left = table->renewed - mc_now();

	mc_json_list(json, "label_names");
	for (unsigned i = 0; i < table->labels_len; i++)
		mc_json_text(json, NULL, table->labels[i]);
	mc_json_list_end(json);
	mc_json_unsigned(json, "left_out", table->left_out);
	mc_json_seconds(json, "fresh_for", left > 0 ? left : 0);
}

/* --- The whole --------------------------------------------------------------- */

static void answer(struct mc_httpd_request *request, const struct question *question)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct host_table *table =
		host_tables_get(web_hosts(request), ctx, web_silent(request), question->metric);
	struct mc_json *json = answer_begin();
	const struct host_row **rows;
	size_t len;

	rows = matching(ctx, question, table, &len);
	if (question->order->order != by_name)
		qsort(rows, len, sizeof(*rows), question->order->order);
	if (question->reverse != 0)
		reverse(rows, len);
	print_page(ctx, json, question, rows, len);
	print_counts(json, rows, len);
	print_table(json, table);
	free(rows);
	host_table_release(table);
	answer_json(request, json);
}

void hosts_answer(struct mc_httpd_request *request)
{
	struct question question;

	if (read_question(request, &question))
		answer(request, &question);
}

/* --- Silent ones that have values again ------------------------------------------------ */

struct trimming {
	struct silent *silent;
	const char *last; /* Series of a host often follow each other. */
};

static bool forget_present(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct trimming *trimming = argument;
	const char *host = mc_host(series);

	if (latest->missing || (trimming->last != NULL && strcmp(host, trimming->last) == 0))
		return true;
	silent_forget(trimming->silent, host);
	trimming->last = host;
	return true;
}

void hosts_trim_silent(struct mc_ctx *ctx, struct silent *silent)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct trimming trimming = { .silent = silent };

	mc_scan_series(ctx, NULL, forget_present, &trimming);
	silent_trim(silent);
	mc_read_end(reading);
}
