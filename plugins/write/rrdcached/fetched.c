/* SPDX-License-Identifier: MIT */
#include "fetched.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/series/rrd_files.h"

#define LATEST (INT64_MAX / MC_SECOND / 2) /* Seconds: see seconds_of(). */

void fetched_free(struct fetched *fetched)
{
	free(fetched->rows);
}

/* The text after "Name: ", or NULL if the line is another one. */
static const char *value_of(const char *line, const char *name)
{
	size_t size = strlen(name);

	if (strncmp(line, name, size) != 0 || line[size] != ':')
		return NULL;
	return line + size + 1 + strspn(line + size + 1, " ");
}

static int source_of(const struct fetched *fetched, const char *name, size_t size)
{
	for (unsigned i = 0; i < fetched->type->sources_len; i++) {
		const char *source = mc_rrd_source_name(fetched->rules, fetched->type, i);

		if (strlen(source) == size && memcmp(source, name, size) == 0)
			return (int)i;
	}
	return -1;
}

/* Rows have as many columns from the first one on, also if it was cut. */
static void take_names(struct fetched *fetched, const char *names)
{
	if (fetched->rows_room > 0)
		return;
	fetched->columns_len = 0;
	while (fetched->columns_len < MC_SOURCES_MAX && *names != '\0') {
		size_t size = strcspn(names, " ");

		fetched->columns[fetched->columns_len++] = source_of(fetched, names, size);
		names += size + strspn(names + size, " ");
	}
}

static double *next_row(struct fetched *fetched)
{
	size_t row = fetched->columns_len * sizeof(*fetched->rows);

	if (fetched->rows_len == fetched->rows_room) {
		fetched->rows_room = 2 * fetched->rows_room + 64;
		fetched->rows = mc_alloc_resize(fetched->rows, fetched->rows_room, row);
	}
	return fetched->rows + fetched->rows_len * fetched->columns_len;
}

/* "1795341950: 3.0e+00 -nan": the time is that of the end of the row. */
static void take_row(struct fetched *fetched, const char *line)
{
	char *at;
	long long time = strtoll(line, &at, 10);
	double *row;

	if (at == line || *at != ':' || fetched->columns_len == 0 ||
	    fetched->rows_len == FETCHED_ROWS_MAX || time >= LATEST ||
	    time != fetched->start + (int64_t)(fetched->rows_len + 1) * fetched->step)
		return;
	at++;
	row = next_row(fetched);
	for (unsigned i = 0; i < fetched->columns_len; i++) {
		const char *text = at;

		row[i] = strtod(text, &at);
		if (at == text || (*at != ' ' && *at != '\0'))
			return; /* Cut; the rows after it do not follow. */
	}
	fetched->rows_len++;
}

/* A number of seconds, if the sum of two fits nanoseconds; else 0. */
static int64_t seconds_of(const char *text)
{
	long long number = strtoll(text, NULL, 10);

	return number > 0 && number < LATEST ? number : 0;
}

void fetched_line(struct fetched *fetched, const char *line)
{
	const char *value;

	if (line[0] >= '0' && line[0] <= '9')
		take_row(fetched, line);
	else if (fetched->rows_len > 0)
		return;
	else if ((value = value_of(line, "Start")) != NULL)
		fetched->start = seconds_of(value);
	else if ((value = value_of(line, "Step")) != NULL)
		fetched->step = seconds_of(value);
	else if ((value = value_of(line, "DSName")) != NULL)
		take_names(fetched, value);
}

static struct mc_rrd_rows kit_rows(const struct fetched *fetched)
{
	return (struct mc_rrd_rows){ fetched->start, fetched->step, fetched->rows_len,
				     fetched->columns_len, fetched->rows };
}

void fetched_add(const struct fetched all[FETCHED_KINDS], struct mc_history *history)
{
	const struct fetched *averages = &all[FETCHED_AVERAGES];
	const struct mc_rrd_fetched rows = { kit_rows(averages), kit_rows(&all[FETCHED_MAXIMA]),
					     kit_rows(&all[FETCHED_MINIMA]) };

	for (unsigned i = 0; i < averages->columns_len; i++)
		if (averages->columns[i] >= 0)
			mc_rrd_rows_add(history, (unsigned)averages->columns[i], i, &rows);
}
