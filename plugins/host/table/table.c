/* SPDX-License-Identifier: MIT */
/* table: numbers out of any file of rows and columns, as the options say
 * (collectd.conf(5), "Plugin table").
 *
 * Headings and cut rows are usual: invalid rows are skipped, and the first such line is logged
 * once.
 */
#include <collector/plugin.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/number.h>
#include <collector/serve.h>

#define COLUMNS_MAX 256
#define NAME_SIZE 256

struct result {
	const char *type, *prefix;
	struct mc_ints instances_from, values_from;
	bool logged; /* That it passes over lines. */
};

struct table {
	const char *file, *plugin, *instance, *separator;
	struct mc_blocks results;
};

struct tables {
	struct mc_blocks all;
};

struct row {
	char *columns[COLUMNS_MAX];
	size_t len;
	unsigned line; /* From 1. */
};

/* --- A number in a column ------------------------------------------------ */

/* The number that a text begins with ends at a '%' or a unit. */
static bool is_unit(const char *text)
{
	if (*text == '%')
		return text[1] == '\0';
	while (isalpha((unsigned char)*text))
		text++;
	return *text == '\0';
}

static bool take_value(const char *text, enum mc_kind kind, union mc_value *value)
{
	uint64_t number;
	bool negative;

	if (kind == MC_GAUGE)
		return mc_number_take_double(&text, &value->gauge) && is_unit(text);
	if (!mc_number_take_integer(&text, &negative, &number) || !is_unit(text))
		return false;
	if (kind != MC_DERIVE) {
		value->counter = number;
		return !negative;
	}
	if (number > (uint64_t)INT64_MAX)
		return false;
	value->derive = negative ? -(int64_t)number : (int64_t)number;
	return true;
}

/* --- A row ---------------------------------------------------------------- */

/* In a configuration "\\t" becomes the two characters '\' and 't'. */
static void separators(const char *text, char out[256])
{
	size_t size = 0;

	for (; *text != '\0' && size < 255; text++) {
		char c = *text;

		if (c == '\\' && text[1] != '\0') {
			const char *names = "tnr", *found;

			found = strchr(names, *++text);
			c = found != NULL ? "\t\n\r"[found - names] : *text;
		}
		out[size++] = c;
	}
	out[size] = '\0';
}

static void split(char *line, const char *separator, struct row *row)
{
	row->len = 0;
	while (row->len < COLUMNS_MAX) {
		line += strspn(line, separator);
		if (*line == '\0')
			return;
		row->columns[row->len++] = line;
		line += strcspn(line, separator);
		if (*line == '\0')
			return;
		*line++ = '\0';
	}
}

static bool has_columns(const struct row *row, const struct mc_ints *columns)
{
	for (size_t i = 0; i < columns->len; i++)
		if ((uint64_t)columns->items[i] >= row->len)
			return false;
	return true;
}

/* The prefix and the columns, with '-' between them. */
static bool name_row(const struct result *result, const struct row *row, char out[NAME_SIZE])
{
	size_t size = 0;

	out[0] = '\0';
	for (size_t i = 0; i <= result->instances_from.len; i++) {
		const char *part = result->prefix;
		int n;

		if (i > 0)
			part = row->columns[result->instances_from.items[i - 1]];
		if (part == NULL)
			continue;
		n = snprintf(out + size, NAME_SIZE - size, "%s%s", size > 0 ? "-" : "", part);
		if (n < 0 || (size += (size_t)n) >= NAME_SIZE)
			return false;
	}
	return true;
}

/* "/proc/slabinfo" becomes "_proc_slabinfo", as in collectd. */
static const char *name_file(const char *path, char out[NAME_SIZE])
{
	size_t size = 0;

	for (; path[size] != '\0' && size < NAME_SIZE - 1; size++) {
		bool stays = isalnum((unsigned char)path[size]) || path[size] == '-';

		out[size] = stays ? path[size] : '_';
	}
	out[size] = '\0';
	return out;
}

/* Whether the row is one of that result; then its values are in 'values'. */
static bool take_row(const struct result *result, const struct row *row, const struct mc_type *type,
		     union mc_value *values)
{
	if (!has_columns(row, &result->instances_from) || !has_columns(row, &result->values_from))
		return false;
	for (unsigned i = 0; i < type->sources_len; i++)
		if (!take_value(row->columns[result->values_from.items[i]], type->sources[i].kind,
				&values[i]))
			return false;
	return true;
}

static void put_row(struct mc_ctx *ctx, struct mc_batch *out, const struct table *table,
		    struct result *result, const struct row *row)
{
	const struct mc_type *type = mc_type_find(ctx, result->type);
	union mc_value values[MC_SOURCES_MAX];
	char name[NAME_SIZE], instance[NAME_SIZE];
	struct mc_id id = { .plugin = table->plugin,
			    .plugin_instance = table->instance,
			    .type = result->type,
			    .type_instance = name };

	if (type == NULL || type->sources_len != result->values_from.len)
		return; /* check() has said so. */
	if (!take_row(result, row, type, values) || !name_row(result, row, name)) {
		if (!result->logged)
			mc_log(ctx, MC_NOTE,
			       "line %u of '%s' is skipped: it is not a row of type '%s'",
			       row->line, table->file, result->type);
		result->logged = true;
		return;
	}
	if (table->instance == NULL)
		id.plugin_instance = name_file(table->file, instance);
	mc_put(out, mc_series(out, id), values, type->sources_len);
}

/* --- The file ------------------------------------------------------------- */

static int read_table(struct mc_ctx *ctx, struct mc_batch *out, const struct table *table)
{
	struct row row = { 0 };
	char separator[256], *text, *next;
	ssize_t size = mc_read_file(ctx, table->file, &text);

	if (size < 0)
		return (int)size;
	separators(table->separator, separator);
	for (; *text != '\0'; text = next) {
		next = text + strcspn(text, "\n");
		if (*next != '\0')
			*next++ = '\0';
		row.line++;
		for (size_t i = 0; i < table->results.len; i++) {
			struct result *results = table->results.items;

			/* The first one cuts the line into columns. */
			if (i == 0)
				split(text, separator, &row);
			if (row.len > 0)
				put_row(ctx, out, table, &results[i], &row);
		}
	}
	return 0;
}

static int table_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct tables *self = ctx->self;
	const struct table *tables = self->all.items;
	int failed = 0;

	/* The others count. */
	for (size_t i = 0; i < self->all.len; i++) {
		int rc = read_table(ctx, out, &tables[i]);

		if (rc < 0)
			failed = rc;
	}
	return failed;
}

static void check_result(struct mc_ctx *ctx, const struct result *result)
{
	const struct mc_type *type;

	if (result->type == NULL)
		return; /* It is required: that is reported elsewhere. */
	type = mc_type_find(ctx, result->type);
	if (type == NULL)
		mc_check_error(ctx, &result->type, "is in no TypesDB");
	else if (type->sources_len != result->values_from.len)
		mc_check_error(ctx, &result->type, "has %u values, but ValuesFrom %zu",
			       type->sources_len, result->values_from.len);
}

static void table_check(struct mc_ctx *ctx)
{
	const struct tables *self = ctx->self;
	const struct table *tables = self->all.items;

	for (size_t i = 0; i < self->all.len; i++) {
		const struct result *results = tables[i].results.items;

		if (tables[i].separator != NULL && tables[i].separator[0] == '\0')
			mc_check_error(ctx, &tables[i].separator, "must not be empty");
		for (size_t j = 0; j < tables[i].results.len; j++)
			check_result(ctx, &results[j]);
	}
}

/* --- The options ---------------------------------------------------------- */

static const struct mc_option result_options[] = {
	{ .name = "Type",
	  MC_OPT_STRING(struct result, type),
	  .required = true,
	  .sample = "gauge",
	  .help = "Type of the series." },
	{ .name = "InstancePrefix",
	  MC_OPT_STRING(struct result, prefix),
	  .sample = "active_objs",
	  .help = "What type instances begin with." },
	{ .name = "InstancesFrom",
	  MC_OPT_INTS(struct result, instances_from),
	  .max = COLUMNS_MAX - 1,
	  .sample = "0",
	  .help = "Columns, counted from 0, that make the type instance, with "
		  "'-' between them." },
	{ .name = "ValuesFrom",
	  MC_OPT_INTS(struct result, values_from),
	  .max = COLUMNS_MAX - 1,
	  .required = true,
	  .sample = "1",
	  .help = "Columns of the values: as many as the type has." },
	{ 0 }
};

static const struct mc_block result_block = {
	.size = sizeof(struct result),
	.options = result_options,
};

static const struct mc_option table_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct table, file),
	  .required = true,
	  .sample = "/proc/slabinfo",
	  .help = "File, 4 MiB at most." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct table, plugin),
	  .sample = "slab",
	  .help = "Plugin in the names of the series; without it, table." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct table, instance),
	  .sample = "slabinfo",
	  .help = "Plugin instance; without it, the path of the file with '_' "
		  "for all but letters and digits." },
	{ .name = "Separator",
	  MC_OPT_STRING(struct table, separator),
	  .required = true,
	  .sample = " ",
	  .help = "Characters between columns, one or more; \"\\\\t\" is a "
		  "tab." },
	{ .name = "Result",
	  MC_OPT_BLOCKS(struct table, results),
	  .block = &result_block,
	  .help = "What to take from each row." },
	{ 0 }
};

static const struct mc_block table_block = {
	.size = sizeof(struct table),
	.options = table_options,
};

static const struct mc_option options[] = {
	{ .name = "Table",
	  MC_OPT_BLOCKS(struct tables, all),
	  .block = &table_block,
	  .help = "A file of rows and columns." },
	{ 0 },
};

MC_PLUGIN(table) = {
	MC_NAMED(table),
	.help = "Reads numbers from any file of rows and columns.",
	.self_size = sizeof(struct tables),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.check = table_check,
	.read = table_read,
};
