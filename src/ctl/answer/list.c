/* SPDX-License-Identifier: MIT */
/* list: names of series, and when each had its last value. */
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

static void list_json(const struct answer *answer)
{
	struct mc_json *json = json_open(true);

	mc_json_list(json, "series");
	for (size_t i = 0; i < answer->len; i++) {
		double at;
		const char *name = list_name(answer->lines[i], &at);

		if (name == NULL)
			continue;
		mc_json_map(json, NULL);
		mc_json_text(json, "name", name);
		mc_json_number(json, "time", at);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_close(json, stdout);
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
		const char *name = list_name(answer->lines[i], &at);

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
		const char *name = list_name(answer->lines[i], &at);

		if (name != NULL)
			puts(name);
	}
}

int list_run(const struct ctl *ctl, int argc, char **argv)
{
	struct answer answer;
	struct peer peer;
	const char *glob = argc > 1 ? argv[1] : NULL;
	int status = ctl_connect(ctl, &peer);

	if (status != CTL_OK)
		return status;
	status = list_ask(ctl, &peer, glob, &answer);
	peer_close(&peer);
	if (status != CTL_OK)
		return status;
	if (ctl->json)
		list_json(&answer);
	else if (ctl->detailed)
		list_long(ctl, &answer);
	else
		list_names(&answer);
	/* As grep: a search without a result is a failure. */
	if (answer.len == 0 && glob != NULL)
		status = ctl_failed("no series matches '%s'", glob);
	peer_answer_done(&answer);
	return status;
}
