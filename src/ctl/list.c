/* SPDX-License-Identifier: MIT */
/* list, get: names and last values of series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/ctl.h"
#include "ctl/human.h"
#include "ctl/json.h"
#include "ctl/table.h"

/* A line of LISTVAL is "TIME NAME"; NULL if it is not. */
static const char *listed_name(const char *line, double *time)
{
	char *end;

	*time = strtod(line, &end);
	return end == line || *end != ' ' ? NULL : end + 1;
}

static void list_json(const struct answer *answer)
{
	struct json *json = json_new(true);

	json_list(json, NULL);
	for (size_t i = 0; i < answer->len; i++) {
		double at;
		const char *name = listed_name(answer->lines[i], &at);

		if (name == NULL)
			continue;
		json_map(json, NULL);
		json_text(json, "name", name);
		json_number(json, "time", at);
		json_map_end(json);
	}
	json_list_end(json);
	json_write(json, stdout);
}

static void list_long(const struct ctl *ctl, const struct answer *answer)
{
	double now = (double)time(NULL);
	struct table table;

	table_init(&table);
	table_column(&table, "UPDATED", TABLE_LEFT);
	table_column(&table, "AGE", TABLE_RIGHT);
	table_column(&table, "SERIES", TABLE_LEFT);
	for (size_t i = 0; i < answer->len; i++) {
		double at;
		const char *name = listed_name(answer->lines[i], &at);

		if (name == NULL)
			continue;
		/* The clock here has whole seconds, that of samples has not. */
		double age = now > at ? floor(now - at) : 0;

		table_cell(&table, "%s", human_clock(at, now).text);
		table_cell(&table, "%s", human_seconds(age).text);
		table_cell(&table, "%s", name);
	}
	table_print(&table, stdout, ctl->bold, ctl->plain);
	table_done(&table);
}

static void list_names(const struct answer *answer)
{
	for (size_t i = 0; i < answer->len; i++) {
		double at;
		const char *name = listed_name(answer->lines[i], &at);

		if (name != NULL)
			puts(name);
	}
}

int list_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];
	struct answer answer;
	const char *glob = argc > 1 ? argv[1] : NULL;
	int status;

	if (!ctl_line(line, sizeof(line), "LISTVAL", glob))
		return CTL_USAGE;
	status = ctl_ask(ctl, line, &answer);
	if (status != CTL_OK)
		return status;
	if (ctl->json)
		list_json(&answer);
	else if (ctl->detailed)
		list_long(ctl, &answer);
	else
		list_names(&answer);
	/* As grep: nothing found is no success, if something was sought. */
	if (answer.len == 0 && glob != NULL)
		status = CTL_FAILED;
	peer_answer_done(&answer);
	return status;
}

/* --- get ----------------------------------------------------------------- */

/* A line of GETVAL is "SOURCE=VALUE"; the line is cut at the '='. */
static const char *source_value(char *line)
{
	char *equal = strchr(line, '=');

	if (equal == NULL)
		return "NaN";
	*equal = '\0';
	return equal + 1;
}

static void add_values(struct json *json, const char *name,
		       struct answer *answer)
{
	json_map(json, NULL);
	json_text(json, "name", name);
	json_map(json, "values");
	for (size_t i = 0; i < answer->len; i++) {
		const char *value = source_value(answer->lines[i]);

		json_number(json, answer->lines[i], strtod(value, NULL));
	}
	json_map_end(json);
	json_map_end(json);
}

static int get_one(const struct ctl *ctl, const char *name)
{
	char line[CTL_LINE_SIZE];
	struct answer answer;
	int status;

	if (!ctl_line(line, sizeof(line), "GETVAL", name))
		return CTL_USAGE;
	status = ctl_ask(ctl, line, &answer);
	if (status != CTL_OK)
		return status;
	if (ctl->json) {
		struct json *json = json_new(true);

		add_values(json, name, &answer);
		json_write(json, stdout);
	}
	for (size_t i = 0; i < answer.len && !ctl->json; i++) {
		const char *value = source_value(answer.lines[i]);

		printf("%s=%.9g\n", answer.lines[i], strtod(value, NULL));
	}
	peer_answer_done(&answer);
	return CTL_OK;
}

struct output { /* Of all that match: one of the two is used. */
	struct json *json;
	struct table table;
};

/* One of those that match; one that has just vanished is no error. */
static int get_next(struct peer *peer, const char *name, struct output *output)
{
	char line[CTL_LINE_SIZE];
	struct answer answer;

	if (!ctl_line(line, sizeof(line), "GETVAL", name))
		return CTL_USAGE;
	if (peer_ask(peer, line, &answer) < 0) {
		ctl_failed("lost the connection to the collector");
		return CTL_UNAVAILABLE;
	}
	if (output->json != NULL && answer.status >= 0)
		add_values(output->json, name, &answer);
	for (size_t i = 0; i < answer.len && output->json == NULL; i++) {
		const char *value = source_value(answer.lines[i]);

		table_cell(&output->table, "%s", name);
		table_cell(&output->table, "%s", answer.lines[i]);
		table_cell(&output->table, "%s",
			   human_value(strtod(value, NULL)).text);
	}
	peer_answer_done(&answer);
	return CTL_OK;
}

static int get_all(const struct ctl *ctl, struct peer *peer,
		   const struct answer *names)
{
	struct output output = { 0 };
	int status = CTL_OK;

	table_init(&output.table);
	table_column(&output.table, "SERIES", TABLE_LEFT);
	table_column(&output.table, "SOURCE", TABLE_LEFT);
	table_column(&output.table, "VALUE", TABLE_RIGHT);
	if (ctl->json) {
		output.json = json_new(true);
		json_list(output.json, NULL);
	}
	for (size_t i = 0; i < names->len && status == CTL_OK; i++) {
		double at;
		const char *name = listed_name(names->lines[i], &at);

		if (name != NULL)
			status = get_next(peer, name, &output);
	}
	if (ctl->json) {
		json_list_end(output.json);
		json_write(output.json, stdout);
	} else {
		table_print(&output.table, stdout, ctl->bold, ctl->plain);
	}
	table_done(&output.table);
	return status;
}

int list_get_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];
	struct answer names;
	struct peer peer;
	int status;

	(void)argc;
	if (strpbrk(argv[1], "*?[") == NULL)
		return get_one(ctl, argv[1]);
	if (!ctl_line(line, sizeof(line), "LISTVAL", argv[1]))
		return CTL_USAGE;
	status = ctl_connect(ctl, &peer);
	if (status != CTL_OK)
		return status;
	status = ctl_ask_on(ctl, &peer, line, &names);
	if (status == CTL_OK) {
		if (names.len == 0)
			status = ctl_failed("no series matches '%s'", argv[1]);
		else
			status = get_all(ctl, &peer, &names);
		peer_answer_done(&names);
	}
	peer_close(&peer);
	return status;
}
