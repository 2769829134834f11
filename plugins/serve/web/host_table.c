/* SPDX-License-Identifier: MIT */
/* Series are looked at in no order, which is many times quicker; so hosts are found by their
 * names. */
#include "host_table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <collector/kit/alloc.h>
#include <collector/private/catalogue.h>
#include <collector/private/status.h>

#define CHEAP (2 * MC_SECOND / 1000) /* A walk that takes less CPU time is made each time. */
#define USE 250                      /* Times what a walk takes. */
#define STALE (60 * MC_SECOND)       /* For how long after it is used while another is made. */

struct making {
	struct host_table *table;
	struct mc_ctx *ctx;
	struct mc_reading *reading;
	mc_time now;           /* Since 1970. */
	const char *metric;    /* Or NULL. */
	struct host_row *last; /* Series of a host often follow each other. */
};

/* --- Hosts ---------------------------------------------------------------- */

static struct host_row *add_host(struct host_table *table, const char *name, size_t size)
{
	struct host_row *row;

	if (table->by_name.len >= HOST_TABLE_HOSTS_MAX) {
		table->left_out++;
		return NULL;
	}
	row = mc_alloc_zero(sizeof(*row) + size + 1);
	memcpy(row->name, name, size);
	row->node.key = row->name;
	row->node.key_size = size;
	row->metric = NAN;
	mc_map_add(&table->by_name, &row->node);
	return row;
}

/* A series is of the host before the first '/' of its name. */
static bool is_of(const struct host_row *row, const char *name)
{
	return strncmp(name, row->name, row->node.key_size) == 0 && name[row->node.key_size] == '/';
}

static struct host_row *row_of(struct making *making, const char *name)
{
	size_t size;

	if (making->last != NULL && is_of(making->last, name))
		return making->last;
	size = strcspn(name, "/");
	making->last = (struct host_row *)mc_map_find(&making->table->by_name, name, size);
	if (making->last == NULL)
		making->last = add_host(making->table, name, size);
	return making->last;
}

static void add_metric(struct host_row *row, const struct mc_latest *latest)
{
	for (unsigned i = 0; i < latest->values_len && !latest->missing; i++)
		row->metric = fmax(row->metric, latest->rates[i]);
}

/* One of its series is enough. */
static void add_resource(struct host_row *row, const struct mc_series *series)
{
	struct mc_metric metric;

	if (row->resource != NULL || !mc_get_metric(series, &metric))
		return;
	if (metric.resource.len == 0) {
		mc_release_metric(&metric);
		return;
	}
	row->resource = mc_alloc(sizeof(metric));
	*row->resource = metric;
}

static bool look_at(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct making *making = argument;
	const char *name = mc_name(series);
	struct host_row *row = row_of(making, name);

	if (row == NULL)
		return true;
	row->series++;
	row->missing += latest->missing;
	row->warning += latest->state == MC_STATE_WARNING;
	row->failure += latest->state == MC_STATE_FAILURE;
	if (latest->time > row->newest)
		row->newest = latest->time;
	host_values_add(&row->sums, series, latest);
	add_resource(row, series);
	if (making->metric != NULL &&
	    fnmatch(making->metric, name + row->node.key_size + 1, 0) == 0)
		add_metric(row, latest);
	return true;
}

/* Returns its row if it had none. */
static struct host_row *add_absent(struct making *making, const char *name, mc_time since)
{
	size_t size = strlen(name);
	struct host_row *row = NULL;

	if (mc_map_find(&making->table->by_name, name, size) == NULL)
		row = add_host(making->table, name, size);
	if (row == NULL)
		return NULL;
	row->newest = since;
	row->is_past = making->now - since > SILENT_TIME;
	return row;
}

static void add_silent(void *argument, const char *name, mc_time since)
{
	add_absent(argument, name, since);
}

static void add_awaited(void *argument, const char *name, mc_time last)
{
	struct host_row *row = add_absent(argument, name, last);

	if (row != NULL)
		row->is_awaited = true;
}

/* A host without series, but with alerts, is one whose checks bring no values. */
static enum host_state state_of(const struct host_row *row)
{
	if (row->series == 0 && row->newest != 0)
		return row->is_awaited ? HOST_AWAITED : HOST_ENDED;
	if (row->series > 0 && row->missing == row->series)
		return HOST_SILENT;
	if (row->failure > 0)
		return HOST_FAILURE;
	if (row->missing > 0)
		return HOST_MISSING;
	return row->warning > 0 ? HOST_WARNING : HOST_OKAY;
}

/* --- Alerts that no series of a host shows --------------------------------------- */

/* Whether the state of its series is counted. */
static bool is_of_series(const struct making *making, const struct mc_alert *alert)
{
	struct mc_series *series = mc_find(making->reading, alert->series, strlen(alert->series));
	struct mc_latest latest = { .time = 0 };

	if (series != NULL)
		mc_latest(making->reading, series, &latest);
	return latest.time != 0 && (latest.missing || latest.state >= MC_STATE_WARNING);
}

static void add_alert(void *argument, const char *judge, const struct mc_alert *alert)
{
	struct making *making = argument;
	struct host_row *row;

	(void)judge;
	if (strchr(alert->series, '/') == NULL || is_of_series(making, alert))
		return;
	row = row_of(making, alert->series);
	if (row == NULL)
		return;
	row->warning += alert->state == MC_STATE_WARNING;
	row->failure += alert->state == MC_STATE_FAILURE;
}

/* --- Hosts that were silent before the start ----------------------------------- */

struct recall {
	struct silent *silent;
	const struct host_table *table;
};

/* Of a host that has others, which has not ended, nothing is kept. */
static bool recall_one(void *argument, const struct mc_ended *ended)
{
	const struct recall *recall = argument;
	size_t size = strcspn(ended->name, "/");
	char host[MC_FORGET_NAME_SIZE];

	if (size >= sizeof(host) || mc_map_find(&recall->table->by_name, ended->name, size) != NULL)
		return true;
	memcpy(host, ended->name, size);
	host[size] = '\0';
	if (silent_recall(recall->silent, host, ended->last))
		silent_trim(recall->silent);
	return true;
}

/* They are in the catalogue. */
static void recall_silent(struct making *making, struct silent *silent)
{
	struct recall recall = { silent, making->table };

	if (silent_recall_due(silent))
		mc_each_ended(making->ctx, NULL, recall_one, &recall);
}

/* --- A table -------------------------------------------------------------- */

static void add_label(void *argument, const struct mc_field *label)
{
	struct host_table *table = argument;
	unsigned at = 0;

	while (at < table->labels_len && strcmp(table->labels[at], label->name) < 0)
		at++;
	if ((at < table->labels_len && strcmp(table->labels[at], label->name) == 0) ||
	    table->labels_len == HOST_TABLE_LABELS_MAX)
		return;
	memmove(&table->labels[at + 1], &table->labels[at],
		(table->labels_len - at) * sizeof(*table->labels));
	table->labels[at] = mc_alloc_copy(label->name);
	table->labels_len++;
}

static int by_name(const void *a, const void *b)
{
	const struct host_row *const *left = a, *const *right = b;

	return strverscmp((*left)->name, (*right)->name);
}

/* Puts the rows in order, and their sums into figures. */
static void complete(struct mc_ctx *ctx, struct host_table *table)
{
	table->rows = mc_alloc_array(table->by_name.len + 1, sizeof(*table->rows));
	for (struct mc_map_node *node = mc_map_next(&table->by_name, NULL); node != NULL;
	     node = mc_map_next(&table->by_name, node)) {
		struct host_row *row = (struct host_row *)node;

		host_values_end(row->sums, row->values);
		row->sums = NULL;
		row->state = state_of(row);
		host_table_each_label(ctx, row, add_label, table);
		table->rows[table->len++] = row;
	}
	qsort(table->rows, table->len, sizeof(*table->rows), by_name);
}

static mc_time spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * MC_SECOND + time.tv_nsec;
}

struct host_table *host_table_make(struct mc_ctx *ctx, struct silent *silent, const char *metric)
{
	struct host_table *table = mc_alloc_zero(sizeof(*table));
	struct making making = { table, ctx, mc_read_begin(ctx), mc_wall(), metric, NULL };
	mc_time cost = spent();

	mc_scan_series(ctx, NULL, look_at, &making);
	mc_each_awaited_host(ctx, add_awaited, &making);
	recall_silent(&making, silent);
	silent_each(silent, add_silent, &making);
	mc_each_alert(ctx, add_alert, &making);
	complete(ctx, table);
	mc_read_end(making.reading);
	cost = spent() - cost;
	table->renewed = mc_now() + (cost < CHEAP ? 0 : USE * cost);
	table->stale = table->renewed + (cost < CHEAP ? 0 : STALE);
	table->references = 1;
	return table;
}

struct host_table *host_table_share(struct host_table *table)
{
	atomic_fetch_add(&table->references, 1);
	return table;
}

void host_table_release(struct host_table *table)
{
	if (table == NULL || atomic_fetch_sub(&table->references, 1) > 1)
		return;
	mc_map_done(&table->by_name);
	for (size_t i = 0; i < table->len; i++) {
		if (table->rows[i]->resource != NULL)
			mc_release_metric(table->rows[i]->resource);
		free(table->rows[i]->resource);
		free(table->rows[i]);
	}
	for (unsigned i = 0; i < table->labels_len; i++)
		free(table->labels[i]);
	free(table->rows);
	free(table);
}

const struct host_row *host_table_find(const struct host_table *table, const char *name)
{
	return (const struct host_row *)mc_map_find(&table->by_name, name, strlen(name));
}

void host_table_each_label(struct mc_ctx *ctx, const struct host_row *row,
			   void (*visit)(void *argument, const struct mc_field *label),
			   void *argument)
{
	unsigned len = mc_each_label(ctx, row->name, visit, argument);
	const struct mc_metric_label *label;

	for (size_t i = 0; row->resource != NULL && len == 0 && i < row->resource->resource.len &&
			   i < MC_LABELS_MAX;
	     i++) {
		label = &row->resource->resource.items[i];
		if (strcmp(label->name, "host.name") != 0 && strlen(label->name) < MC_LABEL_SIZE &&
		    strlen(label->value) < MC_LABEL_SIZE)
			visit(argument, &(struct mc_field){ label->name, label->value });
	}
}
