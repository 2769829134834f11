/* SPDX-License-Identifier: MIT */
/* explain: the type and origin of a series, the words of judges, and its destinations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ctl/answer/overview.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

static const struct record *one(const struct overview *overview, const char *about)
{
	static const struct record none = { .about = "" };
	const struct record *found = overview_next(overview, about, NULL);

	return found == NULL ? &none : found;
}

/* Metadata that came with the values take precedence over the type. */
static const char *unit_of(const struct overview *overview)
{
	const char *own_unit = record_text(one(overview, "metadata"), "unit");
	const char *unit =
		*own_unit != '\0' ? own_unit : record_text(one(overview, "type"), "unit");

	return *unit != '\0' ? unit : "no unit";
}

static void print_series(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *series = one(overview, "series");
	const struct record *type = one(overview, "type");
	const char *state = record_text(series, "state");
	double at = record_number(series, "time");

	printf("%s%s%s\n", ctl->bold, record_text(series, "name"), ctl->plain);
	if (*record_text(type, "help") != '\0')
		printf("  what      %s\n", record_text(type, "help"));
	printf("  type      %s, in %s\n", record_text(type, "name"), unit_of(overview));
	if (!record_true(series, "known")) {
		printf("  made by   %snobody so far%s\n", ctl->red, ctl->plain);
		return;
	}
	if (*record_text(series, "made_by") != '\0')
		printf("  made by   %s, every %s\n", record_text(series, "made_by"),
		       human_seconds(record_number(series, "interval")).text);
	printf("  last      %s, %s%s%s%s\n", human_clock(at, overview->time).text,
	       human_ago(floor(overview->time - at)).text, ctl->red,
	       record_true(series, "missing") ? ": it has gone silent" : "", ctl->plain);
	if (*state != '\0' && strcmp(state, "UNKNOWN") != 0)
		printf("  state     %s%s%s\n", strcmp(state, "OKAY") == 0 ? "" : ctl->red, state,
		       ctl->plain);
}

/* A bound of a source; NaN: no bound. */
static struct human bound(const struct record *source, const char *key)
{
	return human_value(record_number(source, key));
}

static void print_sources(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;

	table_init(&table);
	table_column(&table, "SOURCE", TABLE_LEFT);
	table_column(&table, "KIND", TABLE_LEFT);
	table_column(&table, "MIN", TABLE_RIGHT);
	table_column(&table, "MAX", TABLE_RIGHT);
	table_column(&table, "VALUE", TABLE_RIGHT);
	table_column(&table, "NOW", TABLE_RIGHT);
	while ((r = overview_next(overview, "source", r)) != NULL) {
		const char *value = record_text(r, "value");

		table_cell(&table, "%s", record_text(r, "name"));
		table_cell(&table, "%s", record_text(r, "kind"));
		table_cell(&table, "%s", bound(r, "min").text);
		table_cell(&table, "%s", bound(r, "max").text);
		table_cell(&table, "%s", *value == '\0' ? "-" : value);
		table_cell(&table, "%s", bound(r, "rate").text);
	}
	table_print(&table, stdout, ctl->bold, ctl->plain);
	table_done(&table);
}

/* "10 to 20", "at most 20"; "-": none. */
static void print_bounds(struct table *table, const struct record *r, const char *min_key,
			 const char *max_key, const char *inverted_key)
{
	double min = record_number(r, min_key), max = record_number(r, max_key);
	const char *not = record_true(r, inverted_key) ? "not " : "";

	if (isnan(min) && isnan(max))
		table_cell(table, "-");
	else if (isnan(min))
		table_cell(table, "%sat most %s", not, human_value(max).text);
	else if (isnan(max))
		table_cell(table, "%sat least %s", not, human_value(min).text);
	else
		table_cell(table, "%s%s to %s", not, human_value(min).text, human_value(max).text);
}

/* Metadata of sources from where they were measured. */
static void print_metadata(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;

	table_init(&table);
	table_column(&table, "SOURCE", TABLE_LEFT);
	table_column(&table, "LABEL", TABLE_LEFT);
	table_column(&table, "UNIT", TABLE_LEFT);
	table_column(&table, "GOOD", TABLE_LEFT);
	table_column(&table, "NO FAILURE", TABLE_LEFT);
	while ((r = overview_next(overview, "metadata", r)) != NULL) {
		table_cell(&table, "%s", record_text(r, "source"));
		table_cell(&table, "%s", record_text(r, "label"));
		table_cell(&table, "%s", record_text(r, "unit"));
		print_bounds(&table, r, "warning_min", "warning_max", "warning_inverted");
		print_bounds(&table, r, "failure_min", "failure_max", "failure_inverted");
	}
	if (table_rows(&table) > 0) {
		table_print(&table, stdout, ctl->bold, ctl->plain);
		putchar('\n');
	}
	table_done(&table);
}

static void print_attributes(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;

	table_init(&table);
	table_column(&table, "SOURCE", TABLE_LEFT);
	table_column(&table, "ATTRIBUTE", TABLE_LEFT);
	table_column(&table, "VALUE", TABLE_LEFT);
	while ((r = overview_next(overview, "attribute", r)) != NULL) {
		table_cell(&table, "%s", record_text(r, "source"));
		table_cell(&table, "%s", record_text(r, "name"));
		table_cell(&table, "%s", record_text(r, "value"));
	}
	if (table_rows(&table) > 0) {
		table_print(&table, stdout, ctl->bold, ctl->plain);
		putchar('\n');
	}
	table_done(&table);
}

/* Whether the writer has values of the series; "-": it keeps none. */
static const char *kept_by(const struct overview *overview, const char *writer)
{
	const struct record *r = NULL;

	while ((r = overview_next(overview, "keeper", r)) != NULL)
		if (strcmp(record_text(r, "writer"), writer) == 0)
			return record_true(r, "has")         ? "yes"
			       : *record_text(r, "why") == 0 ? "no"
							     : record_text(r, "why");
	return "-";
}

static bool is_destination(const struct overview *overview, const char *writer)
{
	const struct record *r = NULL;

	while ((r = overview_next(overview, "destination", r)) != NULL)
		if (strcmp(record_text(r, "writer"), writer) == 0)
			return true;
	return false;
}

static void print_destination(const struct overview *overview, struct table *table,
			      const struct record *r)
{
	const char *writer = record_text(r, "writer"), *where = record_text(r, "where");

	table_cell(table, "%s", writer);
	table_cell(table, "%s", kept_by(overview, writer));
	table_cell(table, "%s", *where == '\0' ? "-" : where);
}

static void print_destinations(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;

	table_init(&table);
	table_column(&table, "WRITER", TABLE_LEFT);
	table_column(&table, "HAS VALUES", TABLE_LEFT);
	table_column(&table, "WHERE", TABLE_LEFT);
	while ((r = overview_next(overview, "destination", r)) != NULL)
		print_destination(overview, &table, r);
	while ((r = overview_next(overview, "keeper", r)) != NULL)
		if (!is_destination(overview, record_text(r, "writer")))
			print_destination(overview, &table, r);
	table_print(&table, stdout, ctl->bold, ctl->plain);
	if (table_rows(&table) == 0)
		puts("(nowhere: no plugin writes it)");
	table_done(&table);
}

static void print_labels(const struct overview *overview)
{
	const struct record *r = NULL;
	bool some = false;

	while ((r = overview_next(overview, "label", r)) != NULL) {
		printf("%s%s=%s", some ? ", " : "  labels    ", record_text(r, "name"),
		       record_text(r, "value"));
		some = true;
	}
	if (some)
		putchar('\n');
}

/* The labels of a metric that are "of" something. */
static void print_labels_of(const struct overview *overview, const char *of)
{
	const struct record *r = NULL;
	bool some = false;

	while ((r = overview_next(overview, "metric_label", r)) != NULL) {
		if (strcmp(record_text(r, "of"), of) != 0)
			continue;
		printf("%s%s=%s", some ? ", " : "            ", record_text(r, "name"),
		       record_text(r, "value"));
		some = true;
	}
	if (some)
		printf(" (%s)\n", of);
}

/* As its sender calls it. */
static void print_metric(const struct overview *overview)
{
	const struct record *metric = one(overview, "metric");
	const char *name = record_text(metric, "name"), *part = record_text(metric, "part");

	if (*name != '\0') {
		printf("  sent as   %s (%s", name, record_text(metric, "kind"));
		if (record_true(metric, "delta"))
			printf(" since the point before");
		if (strcmp(part, "value") != 0)
			printf(": %s", part);
		if (!isnan(record_number(metric, "bound")))
			printf(" %s", human_value(record_number(metric, "bound")).text);
		puts(")");
	}
	print_labels_of(overview, "point");
	print_labels_of(overview, "resource");
	print_labels_of(overview, "scope");
}

static void print_judges(const struct ctl *ctl, const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;

	table_init(&table);
	table_column(&table, "JUDGE", TABLE_LEFT);
	table_column(&table, "SAYS", TABLE_LEFT);
	while ((r = overview_next(overview, "judge", r)) != NULL) {
		table_cell(&table, "%s", record_text(r, "name"));
		table_cell(&table, "%s", record_text(r, "text"));
	}
	if (table_rows(&table) > 0) {
		table_print(&table, stdout, ctl->bold, ctl->plain);
		putchar('\n');
	}
	table_done(&table);
}

static void print_json(const struct overview *overview)
{
	struct mc_json *json = json_open(true);

	mc_json_map(json, "series");
	json_record(json, one(overview, "series"));
	mc_json_map_end(json);
	mc_json_map(json, "type");
	json_record(json, one(overview, "type"));
	mc_json_map_end(json);
	overview_json(overview, json, "sources", "source");
	overview_json(overview, json, "metadata", "metadata");
	overview_json(overview, json, "attributes", "attribute");
	overview_json(overview, json, "metrics", "metric");
	overview_json(overview, json, "metric_labels", "metric_label");
	overview_json(overview, json, "labels", "label");
	overview_json(overview, json, "judges", "judge");
	overview_json(overview, json, "destinations", "destination");
	overview_json(overview, json, "keepers", "keeper");
	json_close(json, stdout);
}

int explain_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];
	struct overview overview;
	struct answer answer;
	int status;

	(void)argc;
	if (!ctl_line(line, sizeof(line), "EXPLAIN", argv[1]))
		return CTL_USAGE;
	status = ctl_ask(ctl, line, &answer);
	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, (double)clock_wall() * CTL_NS);
	if (ctl->json) {
		print_json(&overview);
	} else {
		print_series(ctl, &overview);
		print_metric(&overview);
		print_labels(&overview);
		putchar('\n');
		print_sources(ctl, &overview);
		putchar('\n');
		print_metadata(ctl, &overview);
		print_attributes(ctl, &overview);
		print_judges(ctl, &overview);
		print_destinations(ctl, &overview);
	}
	if (!record_true(one(&overview, "series"), "known"))
		status = CTL_FAILED;
	overview_done(&overview);
	return status;
}
