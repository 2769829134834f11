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

static uint64_t files_of(const struct rrd_hosts *hosts)
{
	uint64_t files_len = 0;

	for (size_t i = 0; i < hosts->len; i++)
		files_len += hosts->items[i].files_len;
	return files_len;
}

/* "2 files of 1 host" */
static void describe(const struct rrd_hosts *hosts, char *out, size_t size)
{
	uint64_t files_len = files_of(hosts);

	snprintf(out, size, "%" PRIu64 " file%s of %zu host%s", files_len,
		 files_len == 1 ? "" : "s", hosts->len,
		 hosts->len == 1 ? "" : "s");
}

static void add_host(struct table *table, const struct rrd_host *host,
		     time_t now)
{
	struct tm local;
	char date[32] = "-";

	if (localtime_r(&host->last, &local) != NULL)
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &local);
	table_cell(table, "%s", host->name);
	table_cell(table, "%" PRIu64, host->files_len);
	table_cell(table, "%s", human_bytes((double)host->size).text);
	table_cell(table, "%s", date);
	/* What was written just now may be ahead of a clock that was set. */
	table_cell(table, "%s",
		   now - host->last < 1
			   ? "-"
			   : human_seconds((double)(now - host->last)).text);
}

static void print_hosts(const struct rrd_hosts *hosts, time_t now)
{
	struct table table;
	char all[64];
	double size = 0;

	table_init(&table);
	table_column(&table, "HOST", TABLE_LEFT);
	table_column(&table, "FILES", TABLE_RIGHT);
	table_column(&table, "SIZE", TABLE_RIGHT);
	table_column(&table, "LAST UPDATE", TABLE_LEFT);
	table_column(&table, "SILENT FOR", TABLE_RIGHT);
	for (size_t i = 0; i < hosts->len; i++) {
		add_host(&table, &hosts->items[i], now);
		size += (double)hosts->items[i].size;
	}
	for (long row = -1; row < (long)table_rows(&table); row++) {
		char *line = table_line(&table, row, 0);

		puts(line);
		free(line);
	}
	table_done(&table);
	describe(hosts, all, sizeof(all));
	printf("%s, %s\n", all, human_bytes(size).text);
}

/* Nothing but a "yes" will do. */
static bool agree(const char *what, const struct rrd_hosts *hosts)
{
	char answer[16] = "", all[64];
	bool yes;

	describe(hosts, all, sizeof(all));
	printf("\n%s %s? Answer yes or no: ", what, all);
	fflush(stdout);
	yes = fgets(answer, sizeof(answer), stdin) != NULL &&
	      strcmp(answer, "yes\n") == 0;
	if (!isatty(STDIN_FILENO))
		putchar('\n');
	if (!yes)
		puts("Nothing was changed.");
	return yes;
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
		else
			printf("%s %s\n",
			       folder != NULL ? "archived" : "deleted", host);
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
	if (hosts.len > 0)
		print_hosts(&hosts, now);
	else if (argc > 2)
		printf("No host's RRD files below '%s' have been silent for "
		       "%s days.\n",
		       argv[1], argv[2]);
	else
		printf("There are no RRD files of hosts below '%s'.\n",
		       argv[1]);
	if (argc > 3 && hosts.len > 0)
		status = agree(folder != NULL ? "Archive" : "Delete", &hosts)
				 ? put_away(argv[1], folder, &hosts)
				 : CTL_FAILED;
	rrd_free(&hosts);
	return status;
}
