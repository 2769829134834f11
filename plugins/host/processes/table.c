/* SPDX-License-Identifier: MIT */
/* The walk over /proc, which is in the order of pids, as is the table, so that both are merged. */
#include "table.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <stdlib.h>

/* Room for 'len' processes. */
static void grow(struct table *table, size_t len)
{
	if (len <= table->size)
		return;
	table->size = len + len / 4;
	table->processes =
		mc_alloc_resize(table->processes, table->size, sizeof(*table->processes));
	table->next = mc_alloc_resize(table->next, table->size, sizeof(*table->next));
}

static void count_state(struct table_states *states, char state)
{
	switch (state) {
	case 'R':
		states->running++;
		break;
	case 'S':
		states->sleeping++;
		break;
	case 'D':
		states->blocked++;
		break;
	case 'Z':
		states->zombies++;
		break;
	case 'T':
	case 't':
		states->stopped++;
		break;
	case 'W':
		states->paging++;
		break;
	}
}

/* Whether the process is there to stay. */
static bool update(struct table *table, struct process *process, struct table_result *result)
{
	char state = '\0';
	int rc = process_update(process, &table->source, &table->groups, &state);

	process->fresh = false;
	if (rc == -ENOENT) {
		process_done(process, &table->source);
		return false;
	}
	if (rc < 0 && result->failed++ == 0) {
		result->error = rc;
		result->failed_pid = process->pid;
	}
	if (state != '\0')
		result->found++;
	count_state(&result->states, state);
	return true;
}

/* Reads the processes of 'pids'; those that are not there any more go. */
static void merge(struct table *table, struct table_result *result)
{
	const struct mc_pids *pids = &table->pids;
	struct process *old = table->processes, *old_end = table->processes + table->len;
	size_t len = 0;

	for (size_t i = 0; i < pids->len; i++) {
		struct process *process = &table->next[len];

		while (old < old_end && old->pid < pids->items[i])
			process_done(old++, &table->source);
		if (old < old_end && old->pid == pids->items[i])
			*process = *old++;
		else
			*process = (struct process){ .pid = pids->items[i],
						     .fresh = true,
						     .clock = -1 };
		if (update(table, process, result))
			len++;
	}
	while (old < old_end)
		process_done(old++, &table->source);
	old = table->processes;
	table->processes = table->next;
	table->next = old;
	table->len = len;
}

int table_read(struct table *table, const char *folder, const char *mount,
	       struct table_result *result)
{
	DIR *all = opendir(folder);

	if (all == NULL)
		return -errno;
	*result = (struct table_result){ 0 };
	table->source.folder = dirfd(all);
	for (unsigned i = 0; i < table->groups.len; i++)
		group_begin(&table->groups.items[i]);
	table->groups.reads++;
	table->groups.asked = 0;
	mc_list_pids(all, &table->pids);
	grow(table, table->pids.len);
	if (!table->groups.all && mount != NULL)
		leaf_begin(&table->groups.leaves, mount);
	merge(table, result);
	if (!table->groups.all && mount != NULL)
		leaf_end(&table->groups.leaves);
	result->asked = table->groups.asked;
	closedir(all);
	return 0;
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->len; i++)
		process_done(&table->processes[i], &table->source);
	leaf_done(&table->groups.leaves);
	free(table->processes);
	free(table->next);
	mc_pids_done(&table->pids);
}
