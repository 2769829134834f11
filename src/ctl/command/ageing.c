/* SPDX-License-Identifier: MIT */
/* rrd: what each host has in a tree of RRD files, and what to do with those of
 * machines that are gone.  Works on the files, and asks no collector. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl/command/relayout.h"
#include "ctl/command/rrd.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

enum { DAY = 86400 };

/* The time that number of days ago; false if the text is not a number of days. */
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
		 files_len == 1 ? "" : "s", hosts->len, hosts->len == 1 ? "" : "s");
}

static void add_host(struct table *table, const struct rrd_host *host, time_t now)
{
	struct tm local;
	char date[32] = "-";

	if (localtime_r(&host->last, &local) != NULL)
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &local);
	table_cell(table, "%s", host->name);
	table_cell(table, "%" PRIu64, host->files_len);
	table_cell(table, "%s", human_bytes((double)host->size).text);
	table_cell(table, "%s", date);
	/* A file written just now may be ahead of a clock that was set. */
	table_cell(table, "%s",
		   now - host->last < 1 ? "-" : human_seconds((double)(now - host->last)).text);
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

static void print_json(const struct rrd_hosts *hosts)
{
	struct mc_json *json = json_open(true);

	mc_json_list(json, "hosts");
	for (size_t i = 0; i < hosts->len; i++) {
		const struct rrd_host *host = &hosts->items[i];

		mc_json_map(json, NULL);
		mc_json_text(json, "host", host->name);
		mc_json_unsigned(json, "files", host->files_len);
		mc_json_unsigned(json, "bytes", host->size);
		mc_json_signed(json, "last", host->last);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_close(json, stdout);
}

/* Shows them, or prints that the list is empty; 'days' may be NULL. */
static void show(const struct ctl *ctl, const struct rrd_hosts *hosts, time_t now,
		 const char *directory, const char *days)
{
	if (ctl->json)
		print_json(hosts);
	else if (hosts->len > 0)
		print_hosts(hosts, now);
	else if (days != NULL)
		printf("No host's RRD files below '%s' have been silent for "
		       "%s days.\n",
		       directory, days);
	else
		printf("There are no RRD files of hosts below '%s'.\n", directory);
}

/* Nothing but a "yes" will do. */
static bool agree(const char *what, const struct rrd_hosts *hosts)
{
	char answer[16] = "", all[64];
	bool yes;

	describe(hosts, all, sizeof(all));
	printf("\n%s %s? Answer yes or no: ", what, all);
	fflush(stdout);
	yes = fgets(answer, sizeof(answer), stdin) != NULL && strcmp(answer, "yes\n") == 0;
	if (!isatty(STDIN_FILENO))
		putchar('\n');
	if (!yes)
		puts("Nothing was changed.");
	return yes;
}

/* 'folder' NULL: delete. */
static int put_away(const char *directory, const char *folder, const struct rrd_hosts *hosts)
{
	int status = CTL_OK;

	for (size_t i = 0; i < hosts->len; i++) {
		const char *host = hosts->items[i].name;
		int rc = folder != NULL ? rrd_archive(directory, folder, host)
					: rrd_delete(directory, host);

		if (rc < 0)
			status = ctl_failed("cannot %s '%s/%s': %s",
					    folder != NULL ? "archive" : "delete", directory, host,
					    strerror(-rc));
		else
			printf("%s %s\n", folder != NULL ? "archived" : "deleted", host);
	}
	return status;
}

/* argv: rrd DIRECTORY [DAYS [archive FOLDER | delete]], or rrd relayout DIRECTORY LAYOUT */
int ageing_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *folder = argc > 4 ? argv[4] : NULL;
	const char *days = argc > 2 ? argv[2] : NULL;
	time_t now = time(NULL), before = RRD_ALL;
	struct rrd_hosts hosts;
	int status = CTL_OK, rc;

	if (strcmp(argv[1], "relayout") == 0)
		return relayout_run(ctl, argc - 1, argv + 1);
	if (days != NULL && !parse_days(days, now, &before))
		return ctl_usage("invalid number of days '%s'", days);
	if (argc > 3 && strcmp(argv[3], folder != NULL ? "archive" : "delete") != 0)
		return ctl_usage("say 'archive FOLDER' or 'delete'");
	if (argc > 3 && ctl->json)
		return ctl_usage("--json only lists");
	rc = rrd_find(argv[1], before, &hosts);
	if (rc < 0)
		return ctl_failed("cannot read '%s': %s", argv[1], strerror(-rc));
	show(ctl, &hosts, now, argv[1], days);
	if (hosts.unread_len > 0)
		status = ctl_failed("cannot read all of %zu host%s, which %s left alone, "
				    "such as '%s/%s': %s",
				    hosts.unread_len, hosts.unread_len == 1 ? "" : "s",
				    hosts.unread_len == 1 ? "is" : "are", argv[1], hosts.unread,
				    strerror(-hosts.error));
	if (argc > 3 && hosts.len > 0) {
		rc = agree(folder != NULL ? "Archive" : "Delete", &hosts)
			     ? put_away(argv[1], folder, &hosts)
			     : CTL_FAILED;
		status = rc != CTL_OK ? rc : status;
	}
	rrd_free(&hosts);
	return status;
}
