/* SPDX-License-Identifier: MIT */
/* The walk over /proc is in the order of pids, as is the table, so that both are merged. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/base/process_stat.h"

#include "slow.h"

#define YOUNG_READS 3                   /* So often a new process is read; ... */
#define AGAIN_READS 16                  /* ... then once in this number of reads of the table. */
#define ONE_TIME (100 * MC_MILLISECOND) /* For one command line. */

/* Room for 'len' processes. */
static void grow(struct table *table, size_t len)
{
	if (len <= table->room)
		return;
	table->room = len + len / 4;
	table->items = mc_alloc_resize(table->items, table->room, sizeof(*table->items));
	table->next = mc_alloc_resize(table->next, table->room, sizeof(*table->next));
}

/* --- A process ------------------------------------------------------------ */

static void forget(struct process *process)
{
	free(process->command);
	*process = (struct process){ .pid = process->pid };
}

static void read_process(struct process *process, struct mc_kept_files *files)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;
	size_t size;

	if (mc_kept_read_once(files, mc_kept_pid_path(path, process->pid, "stat")) <= 0 ||
	    !mc_process_stat(files->text, &stat) || stat.state == 'Z' || stat.state == 'X') {
		forget(process);
		return;
	}
	free(process->command); /* It may be another one by now. */
	process->command = NULL;
	if (process->start != stat.start)
		process->reads = 0;
	size = stat.name.size < sizeof(process->name) - 1 ? stat.name.size
							  : sizeof(process->name) - 1;
	memcpy(process->name, stat.name.text, size);
	process->name[size] = '\0';
	process->start = stat.start;
	process->is_kernel = stat.kernel;
	process->reads++;
}

static bool is_due(const struct table *table, const struct process *process)
{
	return process->reads < YOUNG_READS || (table->reads + process->pid) % AGAIN_READS == 0;
}

/* --- All of them ---------------------------------------------------------- */

static void merge(struct table *table, struct mc_kept_files *files)
{
	const struct mc_pids *pids = &table->pids;
	struct process *old = table->items, *end = old + table->len;

	for (size_t i = 0; i < pids->len; i++) {
		struct process *process = &table->next[i];

		while (old < end && old->pid < pids->items[i])
			free(old++->command);
		if (old < end && old->pid == pids->items[i])
			*process = *old++;
		else
			*process = (struct process){ .pid = pids->items[i] };
		if (is_due(table, process))
			read_process(process, files);
	}
	while (old < end)
		free(old++->command);
	old = table->items;
	table->items = table->next;
	table->next = old;
	table->len = pids->len;
}

void table_begin(struct table *table)
{
	table->is_current = false;
}

int table_fill(struct table *table, struct mc_kept_files *files)
{
	DIR *folder;

	if (table->is_current)
		return 0;
	folder = mc_kept_open_folder(files, ".");
	if (folder == NULL)
		return -errno;
	table->reads++;
	mc_list_pids(folder, &table->pids);
	grow(table, table->pids.len);
	merge(table, files);
	closedir(folder);
	table->is_current = true;
	return 0;
}

/* All of them in one call; if that takes too long, one by one. */
static int read_some(struct mc_ctx *ctx, struct process *const *wanted, size_t len)
{
	struct slow_commands *commands = slow_new_commands(ctx, len);
	int rc;

	for (size_t i = 0; i < len; i++)
		commands->pids[i] = wanted[i]->pid;
	rc = slow_read_commands(ctx, len > 1 ? MC_SECOND : ONE_TIME, &commands);
	for (size_t i = 0; rc == 0 && i < len; i++)
		wanted[i]->command = mc_alloc_copy(commands->texts[i]);
	free(commands);
	if (rc != -ETIMEDOUT)
		return rc;
	if (len == 1) {
		wanted[0]->command = mc_alloc_copy("");
		return 0;
	}
	for (size_t i = 0; i < len; i++)
		if ((rc = read_some(ctx, &wanted[i], 1)) < 0)
			return rc;
	return 0;
}

int table_read_commands(struct mc_ctx *ctx, struct process *const *wanted, size_t len)
{
	struct process *some[SLOW_COMMANDS_MAX];
	size_t some_len = 0;
	int rc = 0;

	for (size_t i = 0; i < len && rc == 0; i++) {
		if (wanted[i]->command == NULL)
			some[some_len++] = wanted[i];
		if (some_len == SLOW_COMMANDS_MAX || (i + 1 == len && some_len > 0)) {
			rc = read_some(ctx, some, some_len);
			some_len = 0;
		}
	}
	return rc;
}

void table_end(struct table *table)
{
	if (!table->is_current)
		table_done(table);
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->len; i++)
		free(table->items[i].command);
	free(table->items);
	free(table->next);
	mc_pids_done(&table->pids);
	*table = (struct table){ 0 };
}
