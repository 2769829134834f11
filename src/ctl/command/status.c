/* SPDX-License-Identifier: MIT */
/* status: the collector, its plugins and its queues at one moment. */
#include "ctl/command/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ctl/command/cell.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

#define QUOTAS_MAX 10 /* Lines. */
#define HALF 0.5

/* If the configuration was ever read anew. */
static void print_reload(FILE *out, const struct overview *overview)
{
	const struct record *r = overview_next(overview, "reload", NULL);
	const char *failure;

	if (r == NULL)
		return;
	failure = record_text(r, "failure");
	fprintf(out, "  reloads  %s, %s refused; the last one %s%s%s\n",
		human_count(record_number(r, "count")).text,
		human_count(record_number(r, "refused")).text,
		human_ago(overview->time - record_number(r, "time")).text,
		failure[0] != '\0' ? ": " : "", failure);
}

/* If there is one; since when it cannot be written, and how much waits. */
static void print_journal(const struct ctl *ctl, FILE *out, const struct overview *overview)
{
	const struct record *r = overview_next(overview, "journal", NULL);

	if (r == NULL)
		return;
	fprintf(out, "  journal  %s of at most %s, %s samples went without\n",
		human_bytes(record_number(r, "bytes")).text,
		human_bytes(record_number(r, "limit_bytes")).text,
		human_count(record_number(r, "bypassed")).text);
	if (!record_true(r, "failing"))
		return;
	fprintf(out,
		"           %sit cannot be written%s since %s, %s samples "
		"wait\n",
		ctl->red, ctl->plain,
		human_clock(record_number(r, "failing_since"), overview->time).text,
		human_count(record_number(r, "queued")).text);
}

static void print_states(const struct ctl *ctl, FILE *out, const struct record *r)
{
	double failure = record_number(r, "series_failure");
	double warning = record_number(r, "series_warning");

	/* NaN where the collector is an older one. */
	if (!(failure + warning > 0))
		return;
	fprintf(out, "  states   %s%s FAILURE, %s WARNING%s\n", ctl->red, human_count(failure).text,
		human_count(warning).text, ctl->plain);
}

/* By SeriesLimit, and by quotas. */
static double series_refused(const struct overview *overview)
{
	double refused = record_number(overview_collector(overview), "series_refused");
	const struct record *r = NULL;

	while ((r = overview_next(overview, "quota", r)) != NULL)
		refused += record_number(r, "series_refused");
	return refused;
}

static void print_head(const struct ctl *ctl, FILE *out, const struct overview *overview)
{
	const struct record *r = overview_collector(overview);
	double uptime = overview->time - record_number(r, "started");
	double cpu = record_number(r, "cpu_ns") * CTL_NS;

	fprintf(out, "%scollectord %s%s on %s, up %s\n", ctl->bold, record_text(r, "version"),
		ctl->plain, record_text(r, "host"), human_seconds(uptime).text);
	fprintf(out, "  cpu      %s (%s of one core)\n", human_seconds(cpu).text,
		human_share(cpu / uptime).text);
	fprintf(out, "  memory   %s\n", human_bytes(record_number(r, "memory")).text);
	fprintf(out, "  threads  %s, %s stuck\n", record_text(r, "threads"),
		record_text(r, "threads_stuck"));
	fprintf(out, "  series   %s of at most %s, %s refused\n",
		human_count(record_number(r, "series")).text,
		human_count(record_number(r, "series_limit")).text,
		human_count(series_refused(overview)).text);
	print_states(ctl, out, r);
	if (record_number(r, "rules") == 0) /* Not NaN, as of an older one. */
		fprintf(out, "  rules    none, so no value is judged\n");
	fprintf(out, "  samples  %s, %s refused", human_count(record_number(r, "samples")).text,
		human_count(record_number(r, "samples_refused")).text);
	if (record_number(r, "samples_filtered") > 0) /* Not NaN either. */
		fprintf(out, ", %s filtered",
			human_count(record_number(r, "samples_filtered")).text);
	if (record_number(r, "samples_late") > 0)
		fprintf(out, ", %s late", human_count(record_number(r, "samples_late")).text);
	fputc('\n', out);
	fprintf(out, "  notices  %s\n", human_count(record_number(r, "notices")).text);
	print_reload(out, overview);
	print_journal(ctl, out, overview);
}

/* For narrow screens, without figures that follow nearly from the rest. */
static void fill_readers(struct table *table, const struct overview *overview, bool all)
{
	const struct record *r = NULL;

	table_init(table);
	table_column(table, "PLUGIN", TABLE_LEFT);
	table_column(table, "INTERVAL", TABLE_RIGHT);
	table_column(table, "LAST READ", TABLE_RIGHT);
	if (all)
		table_column(table, "CPU/READ", TABLE_RIGHT);
	table_column(table, "CPU", TABLE_RIGHT);
	if (all)
		table_column(table, "READS", TABLE_RIGHT);
	table_column(table, "VALUES", TABLE_RIGHT);
	table_column(table, "FAILED", TABLE_RIGHT);
	table_column(table, "MISSED", TABLE_RIGHT);
	table_column(table, "REFUSED", TABLE_RIGHT);
	while ((r = overview_next(overview, "reader", r)) != NULL) {
		double interval = record_number(r, "interval");
		double reads = record_number(r, "reads");
		double cpu = record_number(r, "cpu_ns") * CTL_NS;
		double last = record_number(r, "duration_ns") * CTL_NS;
		bool read = reads > 0;

		table_cell(table, "%s", record_text(r, "name"));
		table_cell(table, "%s", interval > 0 ? human_seconds(interval).text : "-");
		table_cell(table, "%s", read ? human_seconds(last).text : "-");
		if (all)
			table_cell(table, "%s", read ? human_seconds(cpu / reads).text : "-");
		table_cell(table, "%s", human_seconds(cpu).text);
		if (all)
			cell_count(table, r, "reads");
		cell_count(table, r, "values");
		cell_count(table, r, "failures");
		cell_count(table, r, "skipped");
		cell_count(table, r, "refused");
	}
}

/* Prints a table with all its columns if they fit, else with those it can do
 * with; whether it had all. */
static bool print_fitting(const struct ctl *ctl, FILE *out, const struct overview *overview,
			  void (*fill)(struct table *, const struct overview *, bool all))
{
	struct table table;
	bool all = true;

	fill(&table, overview, true);
	if (ctl->width > 0 && table_width(&table) > ctl->width) {
		table_done(&table);
		all = false;
		fill(&table, overview, false);
	}
	table_print(&table, out, ctl->bold, ctl->plain);
	table_done(&table);
	return all;
}

struct status_drops status_drops(const struct record *writer)
{
	static const struct {
		const char *key, *word;
	} reasons[] = { { "dropped_full", "queue full" },
			{ "dropped_refused", "refused" },
			{ "dropped_stop", "at stop" },
			{ "dropped_quota", "journal full" },
			{ "dropped_damaged", "damaged" } };
	struct status_drops drops = { .text = "0" };
	size_t used = 0;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		double n = record_number(writer, reasons[i].key);

		if (!(n > 0))
			continue;
		int size = snprintf(drops.text + used, sizeof(drops.text) - used, "%s%s %s",
				    used > 0 ? ", " : "", human_count(n).text, reasons[i].word);

		used += size > 0 ? (size_t)size : 0;
		drops.total += n;
	}
	return drops;
}

/* Where there is little room, the reasons of what was dropped stand below. */
static void fill_writers(struct table *table, const struct overview *overview, bool all)
{
	const struct record *r = NULL;

	table_init(table);
	table_column(table, "WRITER", TABLE_LEFT);
	table_column(table, "ACCEPTED", TABLE_RIGHT);
	table_column(table, "DELIVERED", TABLE_RIGHT);
	table_column(table, "QUEUED", TABLE_RIGHT);
	table_column(table, "QUEUE", TABLE_RIGHT);
	table_column(table, "CPU", TABLE_RIGHT);
	table_column(table, "DROPPED", all ? TABLE_LEFT : TABLE_RIGHT);
	while ((r = overview_next(overview, "writer", r)) != NULL) {
		struct status_drops drops = status_drops(r);

		table_cell(table, "%s", record_text(r, "name"));
		cell_count(table, r, "accepted");
		cell_count(table, r, "delivered");
		cell_count(table, r, "queued");
		cell_queue(table, r);
		cell_duration(table, r, "cpu_ns");
		table_cell(table, "%s", all ? drops.text : human_count(drops.total).text);
	}
}

static void print_drops(FILE *out, const struct overview *overview)
{
	const struct record *r = NULL;

	while ((r = overview_next(overview, "writer", r)) != NULL) {
		struct status_drops drops = status_drops(r);

		if (drops.total > 0)
			fprintf(out, "%s dropped %s\n", record_text(r, "name"), drops.text);
	}
}

static double part(const struct record *r, const char *used, const char *limit)
{
	double most = record_number(r, limit);

	return most > 0 ? record_number(r, used) / most : 0;
}

static bool is_worth_a_line(const struct record *quota)
{
	return record_number(quota, "series_refused") > 0 ||
	       record_number(quota, "metadata_refused") > 0 ||
	       part(quota, "series", "series_limit") > HALF ||
	       part(quota, "metadata", "metadata_limit") > HALF ||
	       part(quota, "metadata_bytes", "metadata_bytes_limit") > HALF;
}

/* Clients and sources that were refused something, or have more than half of
 * what they may; the fullest come first. */
static void print_quotas(const struct ctl *ctl, FILE *out, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;
	size_t len = 0;

	table_init(&table);
	table_column(&table, "QUOTA OF", TABLE_LEFT);
	table_column(&table, "SERIES", TABLE_RIGHT);
	table_column(&table, "LIMIT", TABLE_RIGHT);
	table_column(&table, "REFUSED", TABLE_RIGHT);
	table_column(&table, "METADATA", TABLE_RIGHT);
	table_column(&table, "LIMIT", TABLE_RIGHT);
	table_column(&table, "REFUSED", TABLE_RIGHT);
	while (len < QUOTAS_MAX && (r = overview_next(overview, "quota", r)) != NULL) {
		if (!is_worth_a_line(r))
			continue;
		table_cell(&table, "%s %s", record_text(r, "plugin"), record_text(r, "name"));
		cell_count(&table, r, "series");
		cell_count(&table, r, "series_limit");
		cell_count(&table, r, "series_refused");
		cell_count(&table, r, "metadata");
		cell_count(&table, r, "metadata_limit");
		cell_count(&table, r, "metadata_refused");
		len++;
	}
	if (len > 0)
		fputc('\n', out);
	if (len > 0)
		table_print(&table, out, ctl->bold, ctl->plain);
	table_done(&table);
}

size_t status_problems(const struct ctl *ctl, FILE *out, const struct overview *overview)
{
	size_t len = 0;

	for (size_t i = 0; i < overview->len; i++) {
		const struct record *r = &overview->records[i];
		const char *failure = record_text(r, "failure");

		if (record_true(r, "stuck")) {
			fprintf(out,
				"%s%s is stuck%s: its last read has not "
				"returned\n",
				ctl->red, record_text(r, "name"), ctl->plain);
			len++;
		}
		if (*failure != '\0') {
			fprintf(out, "%s%s fails%s: %s\n", ctl->red, record_text(r, "name"),
				ctl->plain, failure);
			len++;
		}
	}
	return len;
}

void status_print(const struct ctl *ctl, FILE *out, const struct overview *overview)
{
	print_head(ctl, out, overview);
	fputc('\n', out);
	print_fitting(ctl, out, overview, fill_readers);
	fputc('\n', out);
	if (!print_fitting(ctl, out, overview, fill_writers))
		print_drops(out, overview);
	if (overview_next(overview, "writer", NULL) == NULL)
		fputs("(no plugin writes: values stay in memory)\n", out);
	print_quotas(ctl, out, overview);

	char *problems;
	size_t size;
	FILE *memory = open_memstream(&problems, &size);

	if (memory == NULL)
		abort();
	status_problems(ctl, memory, overview);
	fclose(memory);
	if (size > 0)
		fprintf(out, "\n%s", problems);
	free(problems);
}

/* The same for scripts, as JSON. */
static void print_json(FILE *out, const struct overview *overview)
{
	struct mc_json *json = json_open(true);

	mc_json_map(json, "collector");
	json_record(json, overview_collector(overview));
	mc_json_map_end(json);
	overview_json(overview, json, "journal", "journal");
	overview_json(overview, json, "reload", "reload");
	overview_json(overview, json, "readers", "reader");
	overview_json(overview, json, "writers", "writer");
	overview_json(overview, json, "quotas", "quota");
	json_close(json, out);
}

int status_run(const struct ctl *ctl, int argc, char **argv)
{
	struct overview overview;
	struct answer answer;
	int status = ctl_ask(ctl, "STATUS", &answer);

	(void)argc;
	(void)argv;
	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, (double)clock_wall() * CTL_NS);
	if (ctl->json)
		print_json(stdout, &overview);
	else
		status_print(ctl, stdout, &overview);
	overview_done(&overview);
	return CTL_OK;
}
