/* SPDX-License-Identifier: MIT */
/* ack, silence and unsilence: what people do about alerts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ctl/answer/overview.h"
#include "ctl/answer/when.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

/* Appends " reason=" and the words, quoted as one; false, and a complaint, if it is too long. */
static bool add_reason(char line[CTL_LINE_SIZE], int argc, char **argv)
{
	char reason[CTL_LINE_SIZE] = "reason=", quoted[CTL_LINE_SIZE];
	size_t used = strlen(line);

	if (argc == 0)
		return true;
	for (int i = 0; i < argc; i++) {
		size_t size = strlen(reason);

		snprintf(reason + size, sizeof(reason) - size, "%s%s", i > 0 ? " " : "", argv[i]);
	}
	if (ctl_line(quoted, sizeof(quoted), "", reason) &&
	    (size_t)snprintf(line + used, CTL_LINE_SIZE - used, "%s", quoted) <
		    CTL_LINE_SIZE - used)
		return true;
	ctl_failed("the reason is too long");
	return false;
}

int silence_ack_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];

	if (!ctl_line(line, sizeof(line), "ACK", argv[1]) || !add_reason(line, argc - 2, argv + 2))
		return CTL_USAGE;
	return ctl_ask_patiently(ctl, line, false);
}

int silence_end_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];

	(void)argc;
	if (!ctl_line(line, sizeof(line), "UNSILENCE", argv[1]))
		return CTL_USAGE;
	return ctl_ask_patiently(ctl, line, false);
}

/* --- silence, alone: which there are ----------------------------------------- */

static void print_table(const struct overview *overview)
{
	const struct record *r = NULL;
	struct table table;
	long rows = 0;

	table_init(&table);
	table_column(&table, "PATTERN", TABLE_LEFT);
	table_column(&table, "UNTIL", TABLE_RIGHT);
	table_column(&table, "LEFT", TABLE_RIGHT);
	table_column(&table, "REASON", TABLE_LEFT);
	for (; (r = overview_next(overview, "silence", r)) != NULL; rows++) {
		double until = record_number(r, "until");

		table_cell(&table, "%s", record_text(r, "pattern"));
		table_cell(&table, "%s", human_clock(until, overview->time).text);
		table_cell(&table, "%s", human_seconds(until - overview->time).text);
		table_cell(&table, "%s", record_text(r, "reason"));
	}
	for (long row = -1; rows > 0 && row < rows; row++) {
		char *line = table_line(&table, row, 0);

		printf("%s\n", line);
		free(line);
	}
	table_done(&table);
}

static int list_silences(const struct ctl *ctl)
{
	struct overview overview;
	struct answer answer;
	int status = ctl_ask(ctl, "SILENCES", &answer);

	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, (double)clock_wall() * CTL_NS);
	if (ctl->json) {
		struct mc_json *json = json_open(true);

		overview_json(&overview, json, "silences", "silence");
		json_close(json, stdout);
	} else {
		print_table(&overview);
	}
	overview_done(&overview);
	return CTL_OK;
}

int silence_run(const struct ctl *ctl, int argc, char **argv)
{
	char line[CTL_LINE_SIZE];
	mc_time lasting;
	size_t used;

	if (argc == 1)
		return list_silences(ctl);
	if (argc == 2 || !when_duration(argv[2], &lasting) || lasting <= 0)
		return ctl_usage("usage: collectorctl silence HOST|GLOB DURATION [REASON...]");
	if (!ctl_line(line, sizeof(line), "SILENCE", argv[1]))
		return CTL_USAGE;
	used = strlen(line);
	snprintf(line + used, sizeof(line) - used, " for=%.3f", (double)lasting * CTL_NS);
	if (!add_reason(line, argc - 3, argv + 3))
		return CTL_USAGE;
	return ctl_ask_patiently(ctl, line, false);
}
