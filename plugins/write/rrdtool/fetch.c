/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch.h"

#include <errno.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/series/rrd_files.h"

#define SMALL 172800 /* Seconds: two days. */

struct rows { /* Of one consolidation function: see rrd_fetch(3). */
	time_t start, end;
	unsigned long step, sources_len;
	char **names;
	rrd_value_t *values; /* NULL without any. */
};

static size_t rows_len(const struct rows *rows)
{
	return (size_t)(rows->end - rows->start) / rows->step;
}

static struct rows rows_of(const struct mc_history *history)
{
	mc_time end = history->start + history->step * history->points_len;
	struct rows rows = {
		.start = (time_t)(history->start / MC_SECOND),
		.end = (time_t)((end + MC_SECOND - 1) / MC_SECOND),
		.step = (unsigned long)(history->step / MC_SECOND),
	};

	if (rows.step == 0)
		rows.step = 1;
	return rows;
}

/* librrd has a row for each step that is asked for, also where the file has
 * nothing: since 1970 that is a GB, but of SMALL a MB.  To ask opens the file
 * once for each of its archives.  False: it has nothing of all that time. */
static bool cut_to_file(const char *path, struct rows *rows)
{
	time_t last, first, oldest;

	if (rows->end - rows->start <= SMALL)
		return true;
	last = oldest = rrd_last_r(path);
	if (last == -1)
		return true; /* fetch() reports errors. */
	for (int i = 0; (first = rrd_first_r(path, i)) != -1; i++)
		if (first - 1 < oldest) /* It is the end of its row. */
			oldest = first - 1;
	if (rows->start < oldest)
		rows->start = oldest;
	if (rows->end > last)
		rows->end = last;
	return rows->start < rows->end;
}

static void fetch(const char *path, const char *function, const struct rows *wanted,
		  struct rows *rows)
{
	*rows = *wanted;
	rrd_clear_error();
	if (rrd_fetch_r(path, function, &rows->start, &rows->end, &rows->step, &rows->sources_len,
			&rows->names, &rows->values) != 0)
		rows->values = NULL;
}

static void rows_free(struct rows *rows)
{
	if (rows->values == NULL)
		return;
	for (unsigned long i = 0; i < rows->sources_len; i++)
		rrd_freemem(rows->names[i]);
	rrd_freemem(rows->names);
	rrd_freemem(rows->values);
}

/* The column of a source, or -1. */
static int column_of(const struct rows *rows, const char *name)
{
	for (unsigned long i = 0; i < rows->sources_len; i++)
		if (strcmp(rows->names[i], name) == 0)
			return (int)i;
	return -1;
}

static struct mc_rrd_rows kit_rows(const struct rows *rows)
{
	return (struct mc_rrd_rows){
		.start = rows->start,
		.step = (int64_t)rows->step,
		.len = rows->values != NULL ? rows_len(rows) : 0,
		.columns_len = rows->sources_len,
		.values = rows->values,
	};
}

/* Of one consolidation function each. */
struct fetched {
	struct rows averages, maxima, minima;
};

/* Whether a row has a maximum above its average: else each is of one value, or of equal ones, and
 * the minima are the averages. */
static bool has_extremes(const struct fetched *fetched)
{
	const struct rows *averages = &fetched->averages, *maxima = &fetched->maxima;

	if (maxima->values == NULL || maxima->start != averages->start ||
	    maxima->step != averages->step || maxima->end != averages->end ||
	    maxima->sources_len != averages->sources_len)
		return true;
	for (size_t i = 0; i < rows_len(averages) * averages->sources_len; i++)
		if (maxima->values[i] > averages->values[i])
			return true;
	return false;
}

static void add_sources(struct mc_history *history, const struct mc_rrd_rules *rules,
			const struct fetched *fetched)
{
	const struct mc_rrd_fetched all = { kit_rows(&fetched->averages),
					    kit_rows(&fetched->maxima),
					    kit_rows(&fetched->minima) };

	for (unsigned i = 0; i < history->type->sources_len; i++) {
		int column =
			column_of(&fetched->averages, mc_rrd_source_name(rules, history->type, i));

		if (column >= 0)
			mc_rrd_rows_add(history, i, (size_t)column, &all);
	}
}

int fetch_file(const char *path, const struct mc_rrd_rules *rules, struct mc_history *history,
	       char *why)
{
	struct rows wanted = rows_of(history);
	struct fetched fetched = { 0 };

	if ((access(path, F_OK) != 0 && errno == ENOENT) || !cut_to_file(path, &wanted))
		return 0;
	fetch(path, "AVERAGE", &wanted, &fetched.averages);
	if (fetched.averages.values == NULL) {
		snprintf(why, MC_HISTORY_WHY, "cannot read '%s': %s", path, rrd_get_error());
		return -EIO;
	}
	fetch(path, "MAX", &wanted, &fetched.maxima);
	if (has_extremes(&fetched))
		fetch(path, "MIN", &wanted, &fetched.minima);
	add_sources(history, rules, &fetched);
	rows_free(&fetched.averages);
	rows_free(&fetched.maxima);
	rows_free(&fetched.minima);
	return 0;
}
