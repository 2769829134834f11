/* SPDX-License-Identifier: MIT */
/* get: the last values of a series, or of all that match.  They come from
 * DESCRIBE, which has them as they are: GETVAL rounds to seven digits. */
#include <stdio.h>
#include <string.h>

#include "ctl/answer/list.h"
#include "ctl/answer/overview.h"
#include "ctl/ctl.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

/* The series of an answer to DESCRIBE if it has values now, or NULL. */
static const struct record *current(const struct overview *overview)
{
	const struct record *series = overview_next(overview, "series", NULL);

	if (series == NULL || !record_true(series, "known") || record_true(series, "missing"))
		return NULL;
	return series;
}

/* The present value of a source: the value of a gauge, else the rate. */
static const char *worth(const struct record *source)
{
	bool level = strcmp(record_text(source, "kind"), "GAUGE") == 0;

	return record_text(source, level ? "value" : "rate");
}

static void add_numbers(struct mc_json *json, const struct overview *overview, const char *key,
			const char *of)
{
	const struct record *r = NULL;

	mc_json_map(json, key);
	while ((r = overview_next(overview, "source", r)) != NULL)
		json_numeral(json, record_text(r, "name"), record_text(r, of));
	mc_json_map_end(json);
}

static void add_series(struct mc_json *json, const struct overview *overview,
		       const struct record *series)
{
	static const struct record none = { .about = "" };
	const struct record *type = overview_next(overview, "type", NULL);

	if (type == NULL)
		type = &none;
	mc_json_map(json, NULL);
	mc_json_text(json, "name", record_text(series, "name"));
	mc_json_text(json, "type", record_text(type, "name"));
	mc_json_text(json, "unit", record_text(type, "unit"));
	json_numeral(json, "time", record_text(series, "time"));
	json_numeral(json, "interval", record_text(series, "interval"));
	mc_json_text(json, "state", record_text(series, "state"));
	add_numbers(json, overview, "values", "value");
	add_numbers(json, overview, "rates", "rate");
	mc_json_map_end(json);
}

static void add_rows(struct table *table, const struct overview *overview,
		     const struct record *series)
{
	const struct record *r = NULL;

	while ((r = overview_next(overview, "source", r)) != NULL) {
		table_cell(table, "%s", record_text(series, "name"));
		table_cell(table, "%s", record_text(r, "name"));
		table_cell(table, "%s", worth(r));
	}
}

/* Asks for a series; overview_done() is due after CTL_OK only. */
static int ask(const struct ctl *ctl, struct peer *peer, const char *name,
	       struct overview *overview)
{
	char line[CTL_LINE_SIZE];
	struct answer answer;
	int status;

	if (!ctl_line(line, sizeof(line), "DESCRIBE", name))
		return CTL_USAGE;
	status = peer_ask(peer, line, &answer);
	if (status < 0)
		return ctl_lost(ctl, peer, status);
	overview_init(overview, &answer, 0);
	return CTL_OK;
}

static int get_one(const struct ctl *ctl, struct peer *peer, const char *name)
{
	const struct record *series, *r = NULL;
	struct overview overview;
	int status = ask(ctl, peer, name, &overview);

	if (status != CTL_OK)
		return status;
	series = current(&overview);
	if (series == NULL) {
		status = overview_next(&overview, "series", NULL) != NULL &&
					 record_true(overview.records, "known")
				 ? ctl_failed("'%s' has gone silent", name)
				 : ctl_failed("there is no series '%s'", name);
	} else if (ctl->json) {
		struct mc_json *json = json_open(true);

		mc_json_list(json, "series");
		add_series(json, &overview, series);
		mc_json_list_end(json);
		json_close(json, stdout);
	} else {
		while ((r = overview_next(&overview, "source", r)) != NULL)
			printf("%s=%s\n", record_text(r, "name"), worth(r));
	}
	overview_done(&overview);
	return status;
}

struct output { /* Output for all that match: one of the two is used. */
	struct mc_json *json;
	struct table table;
};

/* One of those that match; one that has just vanished is not an error. */
static int get_next(const struct ctl *ctl, struct peer *peer, const char *name,
		    struct output *output)
{
	const struct record *series;
	struct overview overview;
	int status = ask(ctl, peer, name, &overview);

	if (status != CTL_OK)
		return status;
	series = current(&overview);
	if (series != NULL && output->json != NULL)
		add_series(output->json, &overview, series);
	else if (series != NULL)
		add_rows(&output->table, &overview, series);
	overview_done(&overview);
	return CTL_OK;
}

static int get_all(const struct ctl *ctl, struct peer *peer, const struct answer *names)
{
	struct output output = { 0 };
	int status = CTL_OK;

	table_init(&output.table);
	table_column(&output.table, "SERIES", TABLE_LEFT);
	table_column(&output.table, "SOURCE", TABLE_LEFT);
	table_column(&output.table, "VALUE", TABLE_RIGHT);
	if (ctl->json) {
		output.json = json_open(true);
		mc_json_list(output.json, "series");
	}
	for (size_t i = 0; i < names->len && status == CTL_OK; i++) {
		double at;
		const char *name = list_name(names->lines[i], &at);

		if (name != NULL)
			status = get_next(ctl, peer, name, &output);
	}
	if (ctl->json) {
		mc_json_list_end(output.json);
		json_close(output.json, stdout);
	} else {
		table_print(&output.table, stdout, ctl->bold, ctl->plain);
	}
	table_done(&output.table);
	return status;
}

static int get_matching(const struct ctl *ctl, struct peer *peer, const char *glob)
{
	struct answer names;
	int status = list_ask(ctl, peer, glob, &names);

	if (status != CTL_OK)
		return status;
	status = names.len == 0 ? ctl_failed("no series matches '%s'", glob)
				: get_all(ctl, peer, &names);
	peer_answer_done(&names);
	return status;
}

int get_run(const struct ctl *ctl, int argc, char **argv)
{
	struct peer peer;
	int status = ctl_connect(ctl, &peer);

	(void)argc;
	if (status != CTL_OK)
		return status;
	status = strpbrk(argv[1], "*?[") == NULL ? get_one(ctl, &peer, argv[1])
						 : get_matching(ctl, &peer, argv[1]);
	peer_close(&peer);
	return status;
}
