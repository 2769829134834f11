/* SPDX-License-Identifier: MIT */
/* compare: asks two daemons of one host for a while, and shows what one has and the other has not,
 * or otherwise.  The other may be collectd, or a file with names.  contrib/shadow runs it, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "ctl/answer/differences.h"
#include "ctl/answer/list.h"
#include "ctl/ctl.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

#define MINUTES_MAX 1440
#define ROWS_MAX 1000 /* Lines of the table. */
#define NAME_SIZE 1024

struct comparing {
	struct ctl ctls[2]; /* By enum difference_side. */
	struct peer peers[2];
	bool open[2];
	struct differences differences;
	size_t at; /* Of the series whose values are asked for next. */
};

static double now_monotonic(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * CTL_NS;
}

/* --- Asking ------------------------------------------------------------------ */

static int ask_names(struct comparing *comparing, enum difference_side side)
{
	struct answer answer;
	int status = list_ask(&comparing->ctls[side], &comparing->peers[side], NULL, &answer);

	if (status != CTL_OK)
		return status;
	for (size_t i = 0; i < answer.len; i++) {
		double time;
		const char *name = list_name(answer.lines[i], &time);

		if (name != NULL)
			differences_seen(&comparing->differences, side, name, time);
	}
	peer_answer_done(&answer);
	return CTL_OK;
}

/* One that has ended meanwhile is no failure. */
static int ask_values(struct comparing *comparing, struct difference_series *series,
		      enum difference_side side)
{
	const struct ctl *ctl = &comparing->ctls[side];
	char line[CTL_LINE_SIZE];
	struct answer answer;
	int status;

	if (!ctl_line(line, sizeof(line), "GETVAL", series->name))
		return CTL_OK;
	status = peer_ask(&comparing->peers[side], line, &answer);
	if (status < 0)
		return ctl_lost(ctl, &comparing->peers[side], status);
	if (answer.status > 0)
		differences_values(series, side, answer.lines, answer.len);
	peer_answer_done(&answer);
	return CTL_OK;
}

/* New ones of those that both have, as many as there is time for; the next round goes on after
 * them. */
static int ask_all_values(struct comparing *comparing, double until)
{
	const struct differences *differences = &comparing->differences;
	int status = CTL_OK;

	for (size_t i = 0; i < differences->items_len && now_monotonic() < until; i++) {
		struct difference_series *series =
			differences->items[comparing->at++ % differences->items_len];

		if (!series->sides[DIFFERENCE_THEIRS].there ||
		    !series->sides[DIFFERENCE_OURS].there)
			continue;
		if (differences_is_new(series, DIFFERENCE_THEIRS))
			status = ask_values(comparing, series, DIFFERENCE_THEIRS);
		if (status == CTL_OK && differences_is_new(series, DIFFERENCE_OURS))
			status = ask_values(comparing, series, DIFFERENCE_OURS);
		if (status != CTL_OK)
			break;
	}
	return status;
}

static int ask_round(struct comparing *comparing, double until)
{
	int status = CTL_OK;

	if (!comparing->differences.names_only)
		status = ask_names(comparing, DIFFERENCE_THEIRS);
	if (status == CTL_OK)
		status = ask_names(comparing, DIFFERENCE_OURS);
	if (status == CTL_OK && !comparing->differences.names_only)
		status = ask_all_values(comparing, until);
	return status;
}

/* Whether there is nothing to wait for: all names of a file are here, or accepted. */
static bool has_all_names(struct comparing *comparing)
{
	if (!comparing->differences.names_only)
		return false;
	differences_judge(&comparing->differences);
	return comparing->differences.len[DIFFERENCE_NONE] > 0 &&
	       !differences_any(&comparing->differences);
}

/* A round a second, so that the times of values are seen. */
static int ask_for(struct comparing *comparing, double seconds)
{
	double begin = now_monotonic(), next = begin;
	int status = CTL_OK;

	while (status == CTL_OK && next - begin < seconds && !has_all_names(comparing)) {
		double rest;

		next = now_monotonic() + 1;
		status = ask_round(comparing, begin + seconds);
		rest = next - now_monotonic();
		if (rest > 0)
			nanosleep(&(struct timespec){ (time_t)rest,
						      (long)((rest - (double)(time_t)rest) * 1e9) },
				  NULL);
	}
	return status;
}

/* --- The other -------------------------------------------------------------- */

/* Names, one a line; also as list prints them. */
static int read_names(struct differences *differences, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[NAME_SIZE];

	if (file == NULL)
		return ctl_failed("cannot read '%s': %s", path, strerror(errno));
	differences->names_only = true;
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (strchr(line, '/') != NULL && line[0] != '#')
			differences_seen(differences, DIFFERENCE_THEIRS, line, 0);
	}
	fclose(file);
	return CTL_OK;
}

static int open_side(struct comparing *comparing, enum difference_side side)
{
	int status = ctl_connect(&comparing->ctls[side], &comparing->peers[side]);

	comparing->open[side] = status == CTL_OK;
	return status;
}

static int open_theirs(struct comparing *comparing, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return read_names(&comparing->differences, path);
	comparing->ctls[DIFFERENCE_THEIRS].socket = path;
	return open_side(comparing, DIFFERENCE_THEIRS);
}

/* --- Printing ---------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
	const struct difference_series *one = *(const struct difference_series *const *)a;
	const struct difference_series *other = *(const struct difference_series *const *)b;

	if (one->verdict != other->verdict)
		return one->verdict < other->verdict ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* Those that are not the same, in order. */
static struct difference_series **find_rows(const struct differences *differences, size_t *len)
{
	struct difference_series **rows =
		alloc_array(differences->items_len + 1, sizeof(struct difference_series *));

	*len = 0;
	for (size_t i = 0; i < differences->items_len; i++)
		if (differences->items[i]->verdict != DIFFERENCE_NONE)
			rows[(*len)++] = differences->items[i];
	if (*len > 0)
		qsort(rows, *len, sizeof(struct difference_series *), compare_rows);
	return rows;
}

static void add_detail(struct table *table, const struct difference_series *series)
{
	const char *theirs = series->sides[DIFFERENCE_THEIRS].sources;
	const char *ours = series->sides[DIFFERENCE_OURS].sources;

	switch (series->verdict) {
	case DIFFERENCE_APART:
		table_cell(table, "%.7g", series->theirs);
		table_cell(table, "%.7g", series->ours);
		break;
	case DIFFERENCE_TYPE:
		table_cell(table, "%s", theirs);
		table_cell(table, "%s", ours);
		break;
	case DIFFERENCE_LATE:
		table_cell(table, "%.0f s", series->interval);
		table_cell(table, "%.0f s later", series->lag);
		break;
	default:
		table_cell(table, "%s", series->sides[DIFFERENCE_THEIRS].there ? "yes" : "no");
		table_cell(table, "%s", series->sides[DIFFERENCE_OURS].there ? "yes" : "no");
		break;
	}
}

static void print_table(const struct ctl *ctl, const struct differences *differences)
{
	size_t len;
	struct difference_series **rows = find_rows(differences, &len);
	struct table table;

	table_init(&table);
	table_column(&table, "WHAT", TABLE_LEFT);
	table_column(&table, "SERIES", TABLE_LEFT);
	table_column(&table, "THERE", TABLE_LEFT);
	table_column(&table, "HERE", TABLE_LEFT);
	for (size_t i = 0; i < len && i < ROWS_MAX; i++) {
		table_cell(&table, "%s", differences_words[rows[i]->verdict]);
		table_cell(&table, "%s", rows[i]->name);
		add_detail(&table, rows[i]);
	}
	if (len > 0)
		table_print(&table, stdout, ctl->bold, ctl->plain);
	if (len > ROWS_MAX)
		printf("and %zu more\n", len - ROWS_MAX);
	table_done(&table);
	free(rows);
	printf("%zu series are the same", differences->len[DIFFERENCE_NONE]);
	for (int i = DIFFERENCE_NONE + 1; i < DIFFERENCE_VERDICTS; i++)
		if (differences->len[i] > 0)
			printf(", %zu %s", differences->len[i], differences_words[i]);
	if (differences->skipped > 0)
		printf("; more than %d: the rest is not compared", DIFFERENCES_MAX);
	putchar('\n');
}

static void add_row(struct mc_json *json, const struct difference_series *series)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", series->name);
	mc_json_text(json, "what", differences_words[series->verdict]);
	if (series->verdict == DIFFERENCE_APART) {
		mc_json_number(json, "there", series->theirs);
		mc_json_number(json, "here", series->ours);
	} else if (series->verdict == DIFFERENCE_LATE) {
		mc_json_number(json, "interval", series->interval);
		mc_json_number(json, "later", series->lag);
	}
	mc_json_map_end(json);
}

static void print_json(const struct differences *differences)
{
	struct mc_json *json = json_open(true);
	size_t len;
	struct difference_series **rows = find_rows(differences, &len);

	mc_json_bool(json, "same", !differences_any(differences));
	mc_json_map(json, "series");
	for (int i = 0; i < DIFFERENCE_VERDICTS; i++)
		mc_json_number(json, differences_words[i], (double)differences->len[i]);
	mc_json_number(json, "skipped", (double)differences->skipped);
	mc_json_map_end(json);
	mc_json_list(json, "differences");
	for (size_t i = 0; i < len; i++)
		add_row(json, rows[i]);
	mc_json_list_end(json);
	json_close(json, stdout);
	free(rows);
}

/* --- The command ------------------------------------------------------------- */

int compare_run(const struct ctl *ctl, int argc, char **argv)
{
	struct comparing comparing = { .ctls = { *ctl, *ctl },
				       .differences = { .accepted = ctl->accept } };
	char *end = NULL;
	double minutes = argc > 2 ? strtod(argv[2], &end) : 1;
	int status;

	if (argc > 2 && (*end != '\0' || !(minutes > 0) || minutes > MINUTES_MAX))
		return ctl_usage("invalid number of minutes '%s'", argv[2]);
	status = open_theirs(&comparing, argv[1]);
	if (status == CTL_OK)
		status = open_side(&comparing, DIFFERENCE_OURS);
	if (status == CTL_OK)
		status = ask_for(&comparing, minutes * 60);
	if (status == CTL_OK) {
		differences_judge(&comparing.differences);
		if (ctl->json)
			print_json(&comparing.differences);
		else
			print_table(ctl, &comparing.differences);
		status = differences_any(&comparing.differences) ? CTL_DIFFERS : CTL_OK;
	}
	for (int side = 0; side < 2; side++)
		if (comparing.open[side])
			peer_close(&comparing.peers[side]);
	differences_done(&comparing.differences);
	return status;
}
