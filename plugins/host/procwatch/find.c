/* SPDX-License-Identifier: MIT */
#include "find.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include "kit/base/process_stat.h"

#define STALE_SECONDS 2 /* By which clocks may be apart. */

/* --- Candidates ----------------------------------------------------------- */

static void add(struct find *find, uint32_t pid, uint64_t start)
{
	if (find->len == DAEMON_MEMBERS_MAX)
		return;
	MC_ARRAY_GROW(find->items, find->len, find->room);
	find->items[find->len++] = (struct found){ pid, start };
}

static bool has_name(const struct daemon *daemon, struct mc_word name)
{
	return daemon->process == NULL || (strncmp(daemon->process, name.text, name.size) == 0 &&
					   daemon->process[name.size] == '\0');
}

/* Adds a process whose number is given, if it lives and has the daemon's name.
 * One that is not visible may be it if there is no name to compare. */
static void look_at(struct find *find, const struct daemon *daemon, uint32_t pid)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;
	ssize_t size = mc_kept_read_once(find->files, mc_kept_pid_path(path, pid, "stat"));

	if (size < 0 && find->hides && daemon->process == NULL && daemon->expression == NULL) {
		add(find, pid, 0);
		return;
	}
	if (size <= 0 || !mc_process_stat(find->files->text, &stat) || stat.state == 'Z' ||
	    stat.state == 'X' || !has_name(daemon, stat.name))
		return;
	add(find, pid, stat.start);
}

/* --- Where they are looked for -------------------------------------------- */

/* -ENOENT if the file is not there. */
static ssize_t read_at(struct find *find, const char *path)
{
	char full[4096];

	return mc_kept_read_once(find->files, mc_path(find->ctx, path, full, sizeof(full)));
}

/* Whether the process began so long after the file was written that it cannot
 * be the one that wrote it. */
static bool is_stale(struct find *find, const char *path, uint64_t start)
{
	char full[4096];
	struct stat status;
	const char *at = find->files->text;
	double uptime;
	int64_t written, began;

	if (!find->is_real || start == 0 ||
	    stat(mc_path(find->ctx, path, full, sizeof(full)), &status) != 0 ||
	    read_at(find, "/proc/uptime") <= 0 || !mc_scan_decimal(&at, &uptime))
		return false;
	written = status.st_mtim.tv_sec;
	began = mc_wall() / MC_SECOND - (int64_t)uptime +
		(int64_t)(start / (uint64_t)sysconf(_SC_CLK_TCK));
	return began > written + STALE_SECONDS;
}

static int find_in_file(struct find *find, const struct daemon *daemon)
{
	ssize_t size = read_at(find, daemon->pid_file);
	const char *at = find->files->text;
	uint64_t pid;

	if (size == -ENOENT || size == 0)
		return 0;
	if (size < 0)
		return mc_fail(find->ctx, (int)-size, "cannot read '%s'", daemon->pid_file);
	if (!mc_scan_u64(&at, &pid) || !mc_scan_at_end(at) || pid == 0 || pid > INT32_MAX)
		return mc_fail(find->ctx, 0, "cannot understand '%s'", daemon->pid_file);
	look_at(find, daemon, (uint32_t)pid);
	if (find->len > 0 && is_stale(find, daemon->pid_file, find->items[0].start))
		find->len = 0;
	return 0;
}

/* Each line is a process. */
static void take_processes(struct find *find, const struct daemon *daemon)
{
	char *text = mc_alloc_copy(find->files->text);
	const char *at = text;

	do {
		const char *place = at;
		uint64_t pid;

		if (mc_scan_u64(&place, &pid) && *place == '\n' && pid > 0 && pid <= INT32_MAX)
			look_at(find, daemon, (uint32_t)pid);
	} while (mc_scan_line(&at));
	free(text);
}

/* The group of a unit is in system.slice, or in a slice there, as those of
 * templates; of a path it is that path. */
static int find_in_unit(struct find *find, const struct daemon *daemon)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/systemd",
					      "/sys/fs/cgroup/unified" };
	static const char *const slices[] = { "/system.slice", "/system.slice/*", "/*", "" };

	for (size_t i = 0; i < 12 && find->len == 0; i++) {
		char path[1024], full[4096];
		glob_t found = { 0 };

		if ((daemon->unit[0] == '/') != (i % 4 == 3))
			continue;
		snprintf(path, sizeof(path), "%s%s%s%s/cgroup.procs", mounts[i / 4], slices[i % 4],
			 daemon->unit[0] == '/' ? "" : "/", daemon->unit);
		if (glob(mc_path(find->ctx, path, full, sizeof(full)), 0, NULL, &found) == 0)
			for (size_t j = 0; j < found.gl_pathc; j++)
				if (mc_kept_read_once(find->files, found.gl_pathv[j]) > 0)
					take_processes(find, daemon);
		globfree(&found);
	}
	return 0;
}

/* Keeps those whose command line matches. */
static int match_commands(struct find *find, const struct daemon *daemon,
			  struct process *const *processes, size_t len)
{
	int rc = table_read_commands(find->ctx, processes, len);

	find->len = 0;
	if (rc < 0)
		return mc_fail(find->ctx, -rc, "cannot read command lines");
	for (size_t i = 0; i < len; i++) {
		const char *command = processes[i]->command;

		if (command[0] != '\0' &&
		    mc_regex_match(daemon->regex, command, strlen(command)) > 0)
			add(find, processes[i]->pid, processes[i]->start);
	}
	return 0;
}

/* Processes that were found otherwise, few. */
static int match_found(struct find *find, const struct daemon *daemon)
{
	size_t len = find->len;
	struct process *items = mc_alloc_array(len, sizeof(*items));
	struct process **all = mc_alloc_array(len, sizeof(struct process *));
	int rc;

	for (size_t i = 0; i < len; i++) {
		items[i].pid = find->items[i].pid;
		items[i].start = find->items[i].start;
		all[i] = &items[i];
	}
	rc = match_commands(find, daemon, all, len);
	for (size_t i = 0; i < len; i++)
		free(items[i].command);
	free(items);
	free(all);
	return rc;
}

static bool may_be(const struct daemon *daemon, const struct process *process)
{
	const struct mc_word name = { process->name, strlen(process->name) };

	return process->start != 0 && has_name(daemon, name) &&
	       !(process->is_kernel && daemon->regex != NULL);
}

static int find_in_proc(struct find *find, const struct daemon *daemon)
{
	struct table *table = &find->table;
	int rc = table_fill(table, find->files);
	struct process **candidates;
	size_t len = 0;

	if (rc < 0)
		return mc_fail(find->ctx, -rc, "cannot list '/proc'");
	candidates = mc_alloc_array(table->len, sizeof(struct process *));
	for (size_t i = 0; i < table->len; i++)
		if (may_be(daemon, &table->items[i]))
			candidates[len++] = &table->items[i];
	if (daemon->regex != NULL)
		rc = match_commands(find, daemon, candidates, len);
	else
		for (size_t i = 0; i < len; i++)
			add(find, candidates[i]->pid, candidates[i]->start);
	free(candidates);
	return rc;
}

/* --- All of it ------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	const struct found *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

int find_daemon(struct find *find, const struct daemon *daemon)
{
	int rc;

	find->len = 0;
	if (daemon->pid_file == NULL && daemon->unit == NULL)
		rc = find_in_proc(find, daemon);
	else if (daemon->pid_file != NULL)
		rc = find_in_file(find, daemon);
	else
		rc = find_in_unit(find, daemon);
	if (rc == 0 && find->len > 0 && daemon->regex != NULL &&
	    (daemon->pid_file != NULL || daemon->unit != NULL))
		rc = match_found(find, daemon);
	if (rc < 0)
		return rc;
	if (find->len == 0 && find->hides &&
	    (daemon->process != NULL || daemon->expression != NULL))
		return -EAGAIN;
	if (find->len > 1)
		qsort(find->items, find->len, sizeof(*find->items), compare);
	if (find->len > 1 && !daemon->all)
		find->len = 1;
	return 0;
}
