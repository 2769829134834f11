/* SPDX-License-Identifier: MIT */
/* One read cycle, printed: collectord -T. */
#include "daemon/cycle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <collector/private/status.h>
#include <collector/writer.h>

#include "base/alloc.h"
#include "base/log.h"

#define BETWEEN MC_SECOND /* Between the two reads. */

struct row { /* A source of a series. */
	char *series;
	const char *source; /* "" if the type has only one. */
	const char *unit;
	double value;
};

struct rows {
	struct row *items;
	size_t len;
	int series_width, source_width;
};

static void widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

static bool take(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	const struct mc_type *type = mc_type(series);
	struct rows *rows = argument;

	rows->items =
		alloc_resize(rows->items, rows->len + latest->values_len, sizeof(*rows->items));
	for (unsigned i = 0; i < latest->values_len; i++) {
		struct row *row = &rows->items[rows->len++];

		*row = (struct row){
			.series = alloc_copy(mc_name(series)),
			.source = type->sources_len > 1 ? type->sources[i].name : "",
			.unit = type->unit != NULL ? type->unit : "",
			.value = latest->rates[i],
		};
		widen(&rows->series_width, row->series);
		widen(&rows->source_width, row->source);
	}
	return true;
}

/* Whole numbers as they are, others with three decimals or digits. */
static void format(double value, char *out, size_t size)
{
	if (isnan(value))
		snprintf(out, size, "-");
	else if (value == trunc(value) && fabs(value) < 1e15)
		snprintf(out, size, "%.0f", value);
	else if (fabs(value) >= 1 && fabs(value) < 1e15)
		snprintf(out, size, "%.3f", value);
	else
		snprintf(out, size, "%.3g", value);
}

static void print(const struct rows *rows, FILE *out)
{
	for (size_t i = 0; i < rows->len; i++) {
		const struct row *row = &rows->items[i];
		char value[32];

		format(row->value, value, sizeof(value));
		fprintf(out, "%-*s  %-*s  %16s %s\n", rows->series_width, row->series,
			rows->source_width, row->source, value, row->unit);
	}
}

static void count_failure(void *argument, const struct mc_reader_status *status)
{
	unsigned *failed = argument;

	*failed += status->failure[0] != '\0';
}

/* 1 if there was something to show, and nothing was taken. */
static unsigned all_refused(struct mc_ctx *ctx, size_t shown)
{
	struct mc_status status;

	mc_status(ctx, &status);
	if (shown > 0 || status.samples_refused == 0)
		return 0;
	log_error("every sample was refused: %" PRIu64, status.samples_refused);
	return 1;
}

unsigned cycle_print(struct engine *engine, struct mc_ctx *ctx, FILE *out)
{
	struct timespec between = { .tv_sec = BETWEEN / MC_SECOND };
	struct rows rows = { 0 };
	unsigned failed = 0;

	engine_read_once(engine);
	nanosleep(&between, NULL);
	engine_read_once(engine);
	mc_each_series(ctx, NULL, take, &rows);
	print(&rows, out);
	for (size_t i = 0; i < rows.len; i++)
		free(rows.items[i].series);
	free(rows.items);
	mc_each_reader(ctx, count_failure, &failed);
	return failed + all_refused(ctx, rows.len);
}
