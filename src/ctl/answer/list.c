/* SPDX-License-Identifier: MIT */
/* list: names of series, and when each had its last value; with --all also those that have ended.
 */
#include "ctl/answer/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

const char *list_name(const char *line, double *time)
{
	char *end;

	*time = strtod(line, &end);
	return end == line || *end != ' ' ? NULL : end + 1;
}

int list_ask(const struct ctl *ctl, struct peer *peer, const char *glob, struct answer *answer)
{
	char line[CTL_LINE_SIZE];

	if (!ctl_line(line, sizeof(line), "LISTVAL", glob))
		return CTL_USAGE;
	peer->answer_max = PEER_NAMES_MAX;
	return ctl_ask_on(ctl, peer, line, answer);
}

/* --- Rows ------------------------------------------------------------------ */

struct row {
	const char *name;   /* In an answer. */
	double first, last; /* Seconds since 1970; 'first' only if it has ended. */
	bool ended;
	const char *keepers; /* In an answer: "WRITER,WRITER NAME"; NULL: not known. */
};

struct rows {
	struct row *items;
	size_t len;
	struct answer living, ended, keepers;
};

/* "FIRST LAST NAME" */
static bool read_ended(struct row *row, const char *line)
{
	char *end;

	row->first = strtod(line, &end);
	row->ended = true;
	row->name = end == line || *end != ' ' ? NULL : list_name(end + 1, &row->last);
	return row->name != NULL;
}

static bool read_living(struct row *row, const char *line)
{
	row->name = list_name(line, &row->last);
	return row->name != NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* The name in a line of keepers. */
static const char *kept_name(const char *line)
{
	const char *space = strchr(line, ' ');

	return space != NULL ? space + 1 : line;
}

/* Lines of both are in the order of names. */
static void read_keepers(struct rows *rows)
{
	size_t line = 0;

	for (size_t i = 0; i < rows->len; i++) {
		int order = -1;

		while (rows->items[i].ended && line < rows->keepers.len &&
		       (order = strcmp(kept_name(rows->keepers.lines[line]), rows->items[i].name)) <
			       0)
			line++;
		if (order == 0)
			rows->items[i].keepers = rows->keepers.lines[line++];
	}
}

static void read_rows(struct rows *rows)
{
	rows->items = calloc(rows->living.len + rows->ended.len + 1, sizeof(*rows->items));
	if (rows->items == NULL)
		abort();
	for (size_t i = 0; i < rows->living.len; i++)
		rows->len += read_living(&rows->items[rows->len], rows->living.lines[i]);
	for (size_t i = 0; i < rows->ended.len; i++)
		rows->len += read_ended(&rows->items[rows->len], rows->ended.lines[i]);
	if (rows->ended.len > 0)
		qsort(rows->items, rows->len, sizeof(*rows->items), by_name);
	read_keepers(rows);
}

struct wanted {
	const char *glob, *label; /* NULL: all. */
};

/* "LABEL=GLOB" has no '/' and nothing of a glob before its '='. */
static bool is_label(const char *word)
{
	return word[strcspn(word, "=/*?[")] == '=';
}

/* False if there are two of a kind. */
static bool read_words(struct wanted *wanted, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char **word = is_label(argv[i]) ? &wanted->label : &wanted->glob;

		if (*word != NULL)
			return false;
		*word = argv[i];
	}
	return true;
}

static int ask_one(const struct ctl *ctl, struct peer *peer, const char *verb,
		   const struct wanted *wanted, struct answer *answer)
{
	const char *glob = wanted->glob == NULL && wanted->label != NULL ? "*" : wanted->glob;
	char line[CTL_LINE_SIZE];
	size_t size;

	if (!ctl_line(line, sizeof(line), verb, glob))
		return CTL_USAGE;
	size = strlen(line);
	if (wanted->label != NULL && !ctl_line(line + size, sizeof(line) - size, "", wanted->label))
		return CTL_USAGE;
	peer->answer_max = PEER_NAMES_MAX;
	return ctl_ask_on(ctl, peer, line, answer);
}

/* Those that have ended, and which writers have them if more than their names is shown. */
static int ask_ended(const struct ctl *ctl, struct peer *peer, const struct wanted *wanted,
		     struct rows *rows)
{
	int status = ask_one(ctl, peer, "LISTENDED", wanted, &rows->ended);

	if (status == CTL_OK && (ctl->json || ctl->detailed)) {
		status = ask_one(ctl, peer, "LISTKEEPERS", wanted, &rows->keepers);
		if (status != CTL_OK)
			peer_answer_done(&rows->ended);
	}
	return status;
}

static int ask_rows(const struct ctl *ctl, const struct wanted *wanted, struct rows *rows)
{
	struct peer peer;
	int status = ctl_connect(ctl, &peer);

	if (status != CTL_OK)
		return status;
	status = ask_one(ctl, &peer, "LISTVAL", wanted, &rows->living);
	if (status == CTL_OK && ctl->all) {
		status = ask_ended(ctl, &peer, wanted, rows);
		if (status != CTL_OK)
			peer_answer_done(&rows->living);
	}
	peer_close(&peer);
	if (status == CTL_OK)
		read_rows(rows);
	return status;
}

static void free_rows(const struct ctl *ctl, struct rows *rows)
{
	peer_answer_done(&rows->living);
	if (ctl->all)
		peer_answer_done(&rows->ended);
	if (ctl->all && (ctl->json || ctl->detailed))
		peer_answer_done(&rows->keepers);
	free(rows->items);
}

/* --- Printing -------------------------------------------------------------- */

/* Whom it has asked in time. */
static void json_keepers(struct mc_json *json, const char *keepers)
{
	char name[256];

	mc_json_list(json, "keepers");
	while (*keepers != ' ' && *keepers != '-' && *keepers != '\0') {
		size_t size = strcspn(keepers, ", ");

		snprintf(name, sizeof(name), "%.*s", (int)size, keepers);
		mc_json_text(json, NULL, name);
		keepers += size + (keepers[size] == ',');
	}
	mc_json_list_end(json);
}

static void list_json(const struct rows *rows)
{
	struct mc_json *json = json_open(true);

	mc_json_list(json, "series");
	for (size_t i = 0; i < rows->len; i++) {
		const struct row *row = &rows->items[i];

		mc_json_map(json, NULL);
		mc_json_text(json, "name", row->name);
		mc_json_number(json, "time", row->last);
		if (row->ended) {
			mc_json_bool(json, "ended", true);
			mc_json_number(json, "first", row->first);
			if (row->keepers != NULL)
				json_keepers(json, row->keepers);
		}
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_close(json, stdout);
}

/* "?": they were not asked in time. */
static void long_state(struct table *table, const struct row *row)
{
	const char *keepers = !row->ended ? "" : row->keepers != NULL ? row->keepers : "?";

	table_cell(table, "%s", row->ended ? "ended" : "");
	table_cell(table, "%.*s", (int)strcspn(keepers, " "), keepers);
}

static void list_long(const struct ctl *ctl, const struct rows *rows)
{
	double now = (double)time(NULL);
	struct table table;

	table_init(&table);
	table_column(&table, "UPDATED", TABLE_LEFT);
	table_column(&table, "AGE", TABLE_RIGHT);
	if (ctl->all) {
		table_column(&table, "STATE", TABLE_LEFT);
		table_column(&table, "WRITERS", TABLE_LEFT);
	}
	table_column(&table, "SERIES", TABLE_LEFT);
	for (size_t i = 0; i < rows->len; i++) {
		const struct row *row = &rows->items[i];
		/* The clock here has whole seconds, that of samples has not. */
		double age = now > row->last ? floor(now - row->last) : 0;

		table_cell(&table, "%s", human_clock(row->last, now).text);
		table_cell(&table, "%s", human_seconds(age).text);
		if (ctl->all)
			long_state(&table, row);
		table_cell(&table, "%s", row->name);
	}
	table_print(&table, stdout, ctl->bold, ctl->plain);
	table_done(&table);
}

static void list_names(const struct rows *rows)
{
	double now = (double)time(NULL);

	for (size_t i = 0; i < rows->len; i++) {
		const struct row *row = &rows->items[i];

		if (row->ended)
			printf("%s  ended %s\n", row->name, human_clock(row->last, now).text);
		else
			puts(row->name);
	}
}

int list_run(const struct ctl *ctl, int argc, char **argv)
{
	struct wanted wanted = { NULL, NULL };
	struct rows rows = { 0 };
	int status;

	if (!read_words(&wanted, argc, argv)) {
		ctl_failed("list takes one pattern and one LABEL=GLOB");
		return CTL_USAGE;
	}
	status = ask_rows(ctl, &wanted, &rows);
	if (status != CTL_OK)
		return status;
	if (ctl->json)
		list_json(&rows);
	else if (ctl->detailed)
		list_long(ctl, &rows);
	else
		list_names(&rows);
	/* As grep: a search without a result is a failure. */
	if (rows.len == 0 && argc > 1)
		status = ctl_failed("no series matches '%s%s%s'", argv[1], argc > 2 ? " " : "",
				    argc > 2 ? argv[2] : "");
	free_rows(ctl, &rows);
	return status;
}
