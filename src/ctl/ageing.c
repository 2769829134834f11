/* SPDX-License-Identifier: MIT */
/* rrd: what each host has in a tree of RRD files, and what to do with those of
 * machines that are gone.  Works on the files, and asks no collector. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "ctl/human.h"
#include "ctl/rrd.h"
#include "ctl/table.h"

enum { DAY = 86400 };

/* The time so many days ago; false if that is no number of days. */
static bool parse_days(const char *text, time_t now, time_t *before)
{
	char *end;
	double days = strtod(text, &end);

	if (end == text || *end != '\0' || !(days >= 0) || days > 36500)
		return false;
	*before = now - (time_t)(days * DAY);
	return true;
}

static void print_hosts(const struct rrd_hosts *hosts, time_t now)
{
	struct table table;

	table_init(&table);
	table_column(&table, "HOST", TABLE_LEFT);
	table_column(&table, "FILES", TABLE_RIGHT);
	table_column(&table, "SIZE", TABLE_RIGHT);
	table_column(&table, "LAST UPDATE", TABLE_RIGHT);
	for (size_t i = 0; i < hosts->len; i++) {
		const struct rrd_host *host = &hosts->items[i];
		struct human age = human_seconds((double)(now - host->last));

		table_cell(&table, "%s", host->name);
		table_cell(&table, "%" PRIu64, host->files_len);
		table_cell(&table, "%s", human_bytes((double)host->size).text);
		table_cell(&table, "%s ago", age.text);
	}
	for (long row = -1; row < (long)table_rows(&table); row++) {
		char *line = table_line(&table, row, 0);

		puts(line);
		free(line);
	}
	table_done(&table);
}

/* Nothing but a "yes" will do. */
static bool agree(const char *what, const struct rrd_hosts *hosts)
{
	uint64_t files_len = 0;
	char answer[16];

	for (size_t i = 0; i < hosts->len; i++)
		files_len += hosts->items[i].files_len;
	printf("%s %" PRIu64 " file%s of %zu host%s? Answer yes or no: ", what,
	       files_len, files_len == 1 ? "" : "s", hosts->len,
	       hosts->len == 1 ? "" : "s");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) != NULL &&
	       strcmp(answer, "yes\n") == 0;
}

/* 'folder' NULL: delete. */
static int put_away(const char *directory, const char *folder,
		    const struct rrd_hosts *hosts)
{
	int status = CTL_OK;

	for (size_t i = 0; i < hosts->len; i++) {
		const char *host = hosts->items[i].name;
		int rc = folder != NULL ? rrd_archive(directory, folder, host)
					: rrd_delete(directory, host);

		if (rc < 0)
			status = ctl_failed("cannot %s '%s/%s': %s",
					    folder != NULL ? "archive"
							   : "delete",
					    directory, host, strerror(-rc));
	}
	return status;
}

/* argv: rrd DIRECTORY [DAYS [archive FOLDER | delete]] */
int ageing_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *folder = argc > 4 ? argv[4] : NULL;
	time_t now = time(NULL), before = (time_t)LONG_MAX;
	struct rrd_hosts hosts;
	int status = CTL_OK, rc;

	(void)ctl;
	if (argc > 2 && !parse_days(argv[2], now, &before))
		return ctl_usage("'%s' is no number of days", argv[2]);
	if (argc > 3 &&
	    strcmp(argv[3], folder != NULL ? "archive" : "delete") != 0)
		return ctl_usage("say 'archive FOLDER' or 'delete'");
	rc = rrd_find(argv[1], before, &hosts);
	if (rc < 0)
		return ctl_failed("cannot read '%s': %s", argv[1],
				  strerror(-rc));
	print_hosts(&hosts, now);
	if (argc > 3 && hosts.len > 0)
		status = agree(folder != NULL ? "Archive" : "Delete", &hosts)
				 ? put_away(argv[1], folder, &hosts)
				 : CTL_FAILED;
	rrd_free(&hosts);
	return status;
}
