/* SPDX-License-Identifier: MIT */
/* alerts: the series that judges report in a bad state. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ctl/answer/overview.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

/* Whether a person knows of it: it is acknowledged or silenced. */
static bool is_known(const struct record *alert)
{
	return record_number(alert, "acknowledged") > 0 ||
	       record_number(alert, "silenced_until") > 0;
}

/* Unknown ones first, of these the worst, and of those the latest. */
static int compare(const void *a, const void *b)
{
	const struct record *const *left = a, *const *right = b;
	int known = is_known(*left) - is_known(*right);
	int state = strcmp(record_text(*left, "state"), record_text(*right, "state"));
	double later = record_number(*right, "since") - record_number(*left, "since");

	if (known != 0)
		return known;
	if (state != 0) /* FAILURE is before WARNING. */
		return state;
	if (later != 0)
		return later > 0 ? 1 : -1;
	return strcmp(record_text(*left, "series"), record_text(*right, "series"));
}

/* The host is the first part of a name. */
static size_t host_size(const struct record *alert)
{
	return strcspn(record_text(alert, "series"), "/");
}

static int compare_hosts(const struct record *left, const struct record *right)
{
	size_t one = host_size(left), other = host_size(right);
	int order = strncmp(record_text(left, "series"), record_text(right, "series"),
			    one < other ? one : other);

	return order != 0 ? order : (one > other) - (one < other);
}

struct alert {
	const struct record *record;
	size_t place, host; /* In the order of alerts; of the first of its host. */
};

static int by_host(const void *a, const void *b)
{
	const struct alert *left = a, *right = b;
	int hosts = compare_hosts(left->record, right->record);

	return hosts != 0 ? hosts : (left->place > right->place) - (left->place < right->place);
}

static int by_group(const void *a, const void *b)
{
	const struct alert *left = a, *right = b;

	if (left->host != right->host)
		return left->host < right->host ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

struct alerts { /* Freed with free(). */
	const struct record **items;
	size_t len;
};

/* Those of a host together, where its first one is. */
static void group(struct alerts *alerts)
{
	struct alert *groups = calloc(alerts->len + 1, sizeof(*groups));

	if (groups == NULL)
		abort();
	for (size_t i = 0; i < alerts->len; i++)
		groups[i] = (struct alert){ alerts->items[i], i, i };
	qsort(groups, alerts->len, sizeof(*groups), by_host);
	for (size_t i = 1; i < alerts->len; i++)
		if (compare_hosts(groups[i - 1].record, groups[i].record) == 0)
			groups[i].host = groups[i - 1].host;
	qsort(groups, alerts->len, sizeof(*groups), by_group);
	for (size_t i = 0; i < alerts->len; i++)
		alerts->items[i] = groups[i].record;
	free(groups);
}

static struct alerts choose(const struct overview *overview, const char *glob)
{
	struct alerts alerts = { calloc(overview->len + 1, sizeof(*alerts.items)), 0 };
	const struct record *r = NULL;

	if (alerts.items == NULL)
		abort();
	while ((r = overview_next(overview, "alert", r)) != NULL)
		if (glob == NULL || fnmatch(glob, record_text(r, "series"), 0) == 0)
			alerts.items[alerts.len++] = r;
	qsort(alerts.items, alerts.len, sizeof(*alerts.items), compare);
	return alerts;
}

static void print_json(const struct alerts *alerts)
{
	struct mc_json *json = json_open(true);

	mc_json_list(json, "alerts");
	for (size_t i = 0; i < alerts->len; i++) {
		mc_json_map(json, NULL);
		json_record(json, alerts->items[i]);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_close(json, stdout);
}

static void print_line(const struct ctl *ctl, const struct table *table, long row,
		       const char *colour)
{
	char *line = table_line(table, row, 0);

	printf("%s  %s%s\n", colour, line, *colour != '\0' ? ctl->plain : "");
	free(line);
}

struct about { /* A text that can be returned by value. */
	char text[1024];
};

/* The acts of people. */
static struct about about_it(const struct record *alert, double now)
{
	const char *reason = record_text(alert, "acknowledgement");
	double until = record_number(alert, "silenced_until");
	struct about about = { "" };
	size_t size;

	if (record_number(alert, "acknowledged") > 0)
		snprintf(about.text, sizeof(about.text), " (acknowledged%s%s)",
			 *reason != '\0' ? ": " : "", reason);
	size = strlen(about.text);
	if (until > 0)
		snprintf(about.text + size, sizeof(about.text) - size, " (silenced until %s)",
			 human_clock(until, now).text);
	return about;
}

static bool is_failing(const struct record *alert)
{
	return strcmp(record_text(alert, "state"), "FAILURE") == 0;
}

/* "web1: 2 failing, 1 warning", before the first one of a host. */
static void print_host(const struct ctl *ctl, const struct alerts *alerts, size_t first)
{
	const struct record *host = alerts->items[first];
	size_t counts[2] = { 0, 0 };

	if (first > 0 && compare_hosts(alerts->items[first - 1], host) == 0)
		return;
	for (size_t i = first; i < alerts->len && compare_hosts(alerts->items[i], host) == 0; i++)
		counts[is_failing(alerts->items[i])]++;
	printf("%s%.*s:", ctl->bold, (int)host_size(host), record_text(host, "series"));
	if (counts[true] > 0)
		printf(" %zu failing%s", counts[true], counts[false] > 0 ? "," : "");
	if (counts[false] > 0)
		printf(" %zu warning", counts[false]);
	printf("%s\n", ctl->plain);
}

static void print_table(const struct ctl *ctl, const struct alerts *alerts, double now)
{
	struct table table;

	table_init(&table);
	table_column(&table, "STATE", TABLE_LEFT);
	table_column(&table, "FOR", TABLE_RIGHT);
	table_column(&table, "SERIES", TABLE_LEFT);
	table_column(&table, "REASON", TABLE_LEFT);
	for (size_t i = 0; i < alerts->len; i++) {
		const struct record *r = alerts->items[i];
		double since = now - record_number(r, "since");

		table_cell(&table, "%s",
			   record_true(r, "missing") ? "MISSING" : record_text(r, "state"));
		table_cell(&table, "%s", human_seconds(since > 0 ? since : 0).text);
		table_cell(&table, "%s", record_text(r, "series"));
		table_cell(&table, "%s%s", record_text(r, "reason"), about_it(r, now).text);
	}
	print_line(ctl, &table, -1, ctl->bold);
	for (size_t i = 0; i < alerts->len; i++) {
		const char *colour = is_failing(alerts->items[i]) ? ctl->red : "";

		print_host(ctl, alerts, i);
		print_line(ctl, &table, (long)i, is_known(alerts->items[i]) ? ctl->dim : colour);
	}
	table_done(&table);
}

/* --- alerts --all: the last changes ------------------------------------------- */

static void print_changes(const struct ctl *ctl, const struct overview *overview, const char *glob)
{
	const struct record *r = NULL;

	while ((r = overview_next(overview, "past_alert", r)) != NULL) {
		const char *state = record_text(r, "state");
		bool red = strcmp(state, "FAILURE") == 0;

		if (glob != NULL && fnmatch(glob, record_text(r, "series"), 0) != 0)
			continue;
		printf("%s%s  %-7s  %s  %s%s\n", red ? ctl->red : "",
		       human_clock(record_number(r, "time"), overview->time).text, state,
		       record_text(r, "series"), record_text(r, "reason"), red ? ctl->plain : "");
	}
}

static int show_changes(const struct ctl *ctl, const char *glob)
{
	struct overview overview;
	struct answer answer;
	int status = ctl_ask(ctl, "PASTALERTS", &answer);

	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, (double)clock_wall() * CTL_NS);
	if (ctl->json) {
		struct mc_json *json = json_open(true);

		overview_json(&overview, json, "changes", "past_alert");
		json_close(json, stdout);
	} else {
		print_changes(ctl, &overview, glob);
	}
	overview_done(&overview);
	return CTL_OK;
}

int alerts_run(const struct ctl *ctl, int argc, char **argv)
{
	struct overview overview;
	struct alerts alerts;
	struct answer answer;
	int status;

	if (ctl->all)
		return show_changes(ctl, argc > 1 ? argv[1] : NULL);
	status = ctl_ask(ctl, "ALERTS", &answer);
	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, (double)clock_wall() * CTL_NS);
	alerts = choose(&overview, argc > 1 ? argv[1] : NULL);
	if (ctl->json) {
		print_json(&alerts);
	} else if (alerts.len > 0) {
		group(&alerts);
		print_table(ctl, &alerts, overview.time);
	}
	if (overview.answer.len > OVERVIEW_MAX)
		status = ctl_failed("%zu more are not shown", overview.answer.len - OVERVIEW_MAX);
	free(alerts.items);
	overview_done(&overview);
	return status;
}
