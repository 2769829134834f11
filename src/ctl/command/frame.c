/* SPDX-License-Identifier: MIT */
/* One frame of top. */
#include "ctl/command/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctl/command/cell.h"
#include "ctl/command/status.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

#define SERIES_LEAST 4      /* Rows for series on a small screen. */
#define SERIES_UNLIMITED 20 /* Rows of a frame without height. */

/* --- What changed between the two overviews ------------------------------ */

struct row {                               /* A reader or a writer. */
	const struct record *now, *before; /* 'before' NULL: it is new. */
	double cpu;                        /* Share of one core, since before. */
	double values;                     /* Per second. */
};

static double elapsed(const struct frame *frame)
{
	return fmax(frame->now->time - frame->before->time, 1e-3);
}

/* Growth of a counter per second; NaN if it is new, or in the first frame. */
static double growth(const struct frame *frame, const struct record *now,
		     const struct record *before, const char *key)
{
	double grown;

	if (before == NULL)
		return NAN;
	grown = record_number(now, key) - record_number(before, key);
	/* fmax() takes what is unknown for nothing. */
	return isnan(grown) ? NAN : fmax(grown, 0) / elapsed(frame);
}

struct rows {
	struct row *items;
	size_t len;
};

static struct rows make_rows(const struct frame *frame, const char *about, const char *values)
{
	struct rows rows = { 0 };
	const struct record *r = NULL;

	while ((r = overview_next(frame->now, about, r)) != NULL) {
		struct row row = { .now = r };

		row.before = record_find(frame->before->records, frame->before->len, about,
					 record_text(r, "name"));
		row.cpu = growth(frame, r, row.before, "cpu_ns") * CTL_NS;
		row.values = growth(frame, r, row.before, values);
		rows.items = alloc_resize(rows.items, rows.len + 1, sizeof(*rows.items));
		rows.items[rows.len++] = row;
	}
	return rows;
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(record_text(x->now, "name"), record_text(y->now, "name"));
}

/* The larger first; NaN last. */
static int descending(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x < y) - (x > y);
}

static int by_cpu(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = descending(x->cpu, y->cpu);

	/* Those that rested by what they used in all. */
	if (order == 0)
		order = descending(record_number(x->now, "cpu_ns"),
				   record_number(y->now, "cpu_ns"));
	return order != 0 ? order : by_name(a, b);
}

static int by_values(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = descending(x->values, y->values);

	return order != 0 ? order : by_name(a, b);
}

static void sort_rows(struct rows *rows, enum frame_order order)
{
	static int (*const compare[])(const void *, const void *) = {
		[FRAME_BY_CPU] = by_cpu,
		[FRAME_BY_VALUES] = by_values,
		[FRAME_BY_NAME] = by_name,
	};

	if (rows->len > 0)
		qsort(rows->items, rows->len, sizeof(*rows->items), compare[order]);
}

/* --- The parts of a frame ------------------------------------------------ */

struct page { /* Where lines go, and how many still fit. */
	const struct frame *frame;
	FILE *out;
	unsigned left; /* UINT_MAX: no limit. */
};

/* The text is cut to the page; 'head' is the colour it has. */
static void put_line(struct page *page, const char *head, char *text)
{
	if (page->left == 0)
		return;
	table_cut(text, page->frame->width);
	fprintf(page->out, "%s%s%s\n", head, text, *head == '\0' ? "" : page->frame->ctl->plain);
	page->left--;
}

static void put_blank(struct page *page)
{
	char nothing[1] = "";

	put_line(page, "", nothing);
}

/* The table's title and its first rows, 'most' lines in all. */
static void put_table(struct page *page, const struct table *table, unsigned most)
{
	const char *bold = page->frame->ctl->bold;

	for (long row = -1; row < (long)table_rows(table); row++) {
		char *line = table_line(table, row, 0);

		if (most-- > 0)
			put_line(page, row < 0 ? bold : "", line);
		free(line);
		if (most == 0)
			return;
	}
}

static double induced_share(const struct frame *frame)
{
	return frame->induced / frame->induced_time;
}

static void put_head(struct page *page)
{
	const struct frame *frame = page->frame;
	const struct record *now = overview_collector(frame->now);
	const struct record *before = overview_collector(frame->before);
	double cpu = growth(frame, now, before, "cpu_ns") * CTL_NS;
	double samples = growth(frame, now, before, "samples");
	double uptime = frame->now->time - record_number(now, "started");
	char line[256];
	int size;

	snprintf(line, sizeof(line), "collectord %s on %s, up %s, CPU %s, memory %s",
		 record_text(now, "version"), record_text(now, "host"), human_seconds(uptime).text,
		 human_share(cpu).text, human_bytes(record_number(now, "memory")).text);
	put_line(page, frame->ctl->bold, line);
	size = snprintf(line, sizeof(line),
			"series %s, samples %s/s, refused %s, threads %s (%s stuck)",
			human_count(record_number(now, "series")).text,
			human_value(round(samples * 10) / 10).text,
			human_count(record_number(now, "samples_refused")).text,
			record_text(now, "threads"), record_text(now, "threads_stuck"));
	if (frame->induced_time > 0)
		snprintf(line + size, sizeof(line) - (size_t)size, ", libvirtd CPU %s",
			 human_share(induced_share(frame)).text);
	put_line(page, "", line);
}

/* Per second, with one decimal where it is small. */
static void cell_rate(struct table *table, double rate)
{
	if (isnan(rate))
		table_cell(table, "-");
	else if (rate < 100)
		table_cell(table, "%.1f", rate);
	else
		table_cell(table, "%s", human_count(rate).text);
}

/* CPU time per second: "120 us" says more of a small cost than percents. */
static void cell_time(struct table *table, double seconds)
{
	table_cell(table, "%s", human_seconds(seconds).text);
}

static const char *reader_state(const struct record *reader)
{
	if (record_true(reader, "stuck"))
		return "stuck";
	if (*record_text(reader, "failure") != '\0')
		return "fails";
	return "ok";
}

static void fill_readers(struct table *table, const struct rows *rows)
{
	table_column(table, "PLUGIN", TABLE_LEFT);
	table_column(table, "CPU/s", TABLE_RIGHT);
	table_column(table, "VALUES/s", TABLE_RIGHT);
	table_column(table, "LAST READ", TABLE_RIGHT);
	table_column(table, "INTERVAL", TABLE_RIGHT);
	table_column(table, "CPU IN ALL", TABLE_RIGHT);
	table_column(table, "STATE", TABLE_LEFT);
	for (size_t i = 0; i < rows->len; i++) {
		const struct record *r = rows->items[i].now;

		table_cell(table, "%s", record_text(r, "name"));
		cell_time(table, rows->items[i].cpu);
		cell_rate(table, rows->items[i].values);
		cell_time(table, record_number(r, "reads") > 0
					 ? record_number(r, "duration_ns") * CTL_NS
					 : (double)NAN);
		cell_time(table, record_number(r, "interval") > 0 ? record_number(r, "interval")
								  : (double)NAN);
		cell_duration(table, r, "cpu_ns");
		table_cell(table, "%s", reader_state(r));
	}
}

static void fill_writers(struct table *table, const struct rows *rows)
{
	table_column(table, "WRITER", TABLE_LEFT);
	table_column(table, "CPU/s", TABLE_RIGHT);
	table_column(table, "VALUES/s", TABLE_RIGHT);
	table_column(table, "QUEUED", TABLE_RIGHT);
	table_column(table, "QUEUE", TABLE_RIGHT);
	table_column(table, "CPU IN ALL", TABLE_RIGHT);
	table_column(table, "DROPPED", TABLE_LEFT);
	for (size_t i = 0; i < rows->len; i++) {
		const struct record *r = rows->items[i].now;

		table_cell(table, "%s", record_text(r, "name"));
		cell_time(table, rows->items[i].cpu);
		cell_rate(table, rows->items[i].values);
		cell_count(table, r, "queued");
		cell_queue(table, r);
		cell_duration(table, r, "cpu_ns");
		table_cell(table, "%s", status_drops(r).text);
	}
}

static void fill_series(struct table *table, const struct frame *frame, size_t most)
{
	const struct busy_series **first = alloc_array(most + 1, sizeof(*first));
	size_t len = busy_first(frame->busy, frame->series_order, first, most);

	table_column(table, "NOW", TABLE_RIGHT);
	table_column(table, "UNIT", TABLE_LEFT);
	table_column(table, "CHANGE", TABLE_RIGHT);
	table_column(table, "UPD/s", TABLE_RIGHT);
	table_column(table, "SERIES", TABLE_LEFT);
	for (size_t i = 0; i < len; i++) {
		const struct busy_series *s = first[i];
		struct amount amount = busy_amount(s);

		table_cell(table, "%s", amount_text(&amount).text);
		table_cell(table, "%.12s", amount.unit);
		table_cell(table, "%.0f %%", s->change * 100);
		cell_rate(table, s->updates);
		table_cell(table, "%s", s->name);
	}
	free(first);
}

/* --- The whole ----------------------------------------------------------- */

struct parts {
	unsigned readers, writers, series, problems; /* Lines, titles too. */
};

/* Shares the lines out: all plugins if they fit, then the series get what is
 * left, but never less than a few. */
static struct parts share_lines(const struct frame *frame, size_t readers, size_t writers,
				size_t problems)
{
	struct parts parts = { (unsigned)readers + 1, (unsigned)writers + 1, SERIES_UNLIMITED + 1,
			       (unsigned)problems };
	unsigned fixed = 2 + 3 + frame->keys; /* Head, blanks, keys. */
	unsigned free_lines;

	if (frame->height == 0)
		return parts;
	free_lines = frame->height > fixed ? frame->height - fixed : 0;
	if (parts.problems > free_lines / 6)
		parts.problems = free_lines / 6;
	free_lines -= parts.problems;
	if (parts.writers > free_lines / 4)
		parts.writers = free_lines / 4;
	free_lines -= parts.writers;
	if (parts.readers + SERIES_LEAST + 1 > free_lines)
		parts.readers = free_lines > 2 * (SERIES_LEAST + 1)
					? free_lines - (SERIES_LEAST + 1)
					: free_lines / 2;
	parts.series = free_lines - parts.readers;
	return parts;
}

static void put_rows(struct page *page, const char *about, const char *values,
		     void (*fill)(struct table *, const struct rows *), unsigned most)
{
	struct rows rows = make_rows(page->frame, about, values);
	struct table table;

	sort_rows(&rows, page->frame->order);
	table_init(&table);
	fill(&table, &rows);
	put_table(page, &table, most);
	table_done(&table);
	free(rows.items);
}

static void put_series(struct page *page, unsigned most)
{
	struct table table;

	if (most == 0)
		return;
	table_init(&table);
	fill_series(&table, page->frame, most - 1);
	put_table(page, &table, most);
	/* Fills up, so that the keys are always on the last line. */
	for (size_t row = table_rows(&table) + 1; row < most; row++)
		if (page->frame->height > 0)
			put_blank(page);
	table_done(&table);
}

static void put_problems(struct page *page, char *problems, unsigned most)
{
	char *line;

	for (unsigned i = 0; i < most; i++) {
		line = strsep(&problems, "\n");
		if (line == NULL)
			return;
		put_line(page, page->frame->ctl->red, line);
	}
}

static void put_keys(struct page *page)
{
	const struct frame *frame = page->frame;
	static const char *const orders[] = { "cpu", "values", "name" };
	char line[160];
	int size;

	if (!frame->keys)
		return;
	size = snprintf(line, sizeof(line),
			"q quit  plugins c v n: by %s  "
			"series r x u s, guests g, steal N: by %s",
			orders[frame->order], busy_order_names[frame->series_order]);
	if (frame->lost > 0)
		snprintf(line + size, sizeof(line) - (size_t)size, "  (%s samples not seen)",
			 human_count((double)frame->lost).text);
	table_cut(line, frame->width);
	fprintf(page->out, "%s%s%s", frame->ctl->dim, line, frame->ctl->plain);
}

static size_t count_of(const struct frame *frame, const char *about)
{
	const struct record *r = NULL;
	size_t len = 0;

	while ((r = overview_next(frame->now, about, r)) != NULL)
		len++;
	return len;
}

void frame_print(const struct frame *frame, FILE *out)
{
	struct page page = { frame, out, (unsigned)-1 };
	/* Their lines are coloured as a whole, when they have been cut. */
	const struct ctl colourless = { .red = "", .plain = "" };
	char *problems;
	size_t size;
	FILE *memory = open_memstream(&problems, &size);

	if (memory == NULL)
		abort();

	size_t len = status_problems(&colourless, memory, frame->now);

	fclose(memory);

	if (frame->height > 0)
		page.left = frame->height - frame->keys;

	struct parts parts =
		share_lines(frame, count_of(frame, "reader"), count_of(frame, "writer"), len);

	put_head(&page);
	put_problems(&page, problems, parts.problems);
	put_blank(&page);
	put_rows(&page, "reader", "values", fill_readers, parts.readers);
	put_blank(&page);
	put_rows(&page, "writer", "delivered", fill_writers, parts.writers);
	put_blank(&page);
	put_series(&page, parts.series);
	put_keys(&page);
	free(problems);
}

static void add_rows(struct mc_json *json, const struct frame *frame, const char *key,
		     const char *about, const char *values)
{
	struct rows rows = make_rows(frame, about, values);

	sort_rows(&rows, frame->order);
	mc_json_list(json, key);
	for (size_t i = 0; i < rows.len; i++) {
		mc_json_map(json, NULL);
		mc_json_number(json, "cpu_share", rows.items[i].cpu);
		mc_json_number(json, "values_per_second", rows.items[i].values);
		json_record(json, rows.items[i].now);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	free(rows.items);
}

void frame_json(const struct frame *frame, FILE *out)
{
	const struct busy_series *first[SERIES_UNLIMITED];
	size_t len = busy_first(frame->busy, frame->series_order, first, SERIES_UNLIMITED);
	struct mc_json *json = json_open(true);

	mc_json_map(json, "collector");
	json_record(json, overview_collector(frame->now));
	mc_json_map_end(json);
	if (frame->induced_time > 0)
		mc_json_number(json, "induced_cpu_share", induced_share(frame));
	add_rows(json, frame, "readers", "reader", "values");
	add_rows(json, frame, "writers", "writer", "delivered");
	mc_json_list(json, "series");
	for (size_t i = 0; i < len; i++) {
		mc_json_map(json, NULL);
		mc_json_text(json, "name", first[i]->name);
		mc_json_text(json, "unit", first[i]->type->unit);
		mc_json_number(json, "rate", first[i]->rate);
		mc_json_number(json, "change", first[i]->change);
		mc_json_number(json, "updates_per_second", first[i]->updates);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_close(json, out);
}
