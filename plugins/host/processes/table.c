/* SPDX-License-Identifier: MIT */
/* The walk over /proc, which is in the order of pids, as is the table, so that
 * both are merged. */
#include "table.h"

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include <errno.h>
#include <stdlib.h>

static void grow(struct table *table)
{
	size_t size = table->size == 0 ? 512 : 2 * table->size;

	table->processes = mc_alloc_resize(table->processes, size,
					   sizeof(*table->processes));
	table->next = mc_alloc_resize(table->next, size, sizeof(*table->next));
	table->pids = mc_alloc_resize(table->pids, size, sizeof(*table->pids));
	table->size = size;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Fills pids[], in order; how many there are. */
static size_t list(struct table *table, DIR *folder)
{
	const struct dirent *entry;
	bool sorted = true;
	size_t len = 0;

	while ((entry = readdir(folder)) != NULL) {
		const char *at = entry->d_name;
		uint64_t pid;

		if (*at < '1' || *at > '9' || !mc_scan_u64(&at, &pid) ||
		    *at != '\0' || pid > INT32_MAX)
			continue;
		if (len == table->size)
			grow(table);
		if (len > 0 && pid < table->pids[len - 1])
			sorted = false;
		table->pids[len++] = (uint32_t)pid;
	}
	if (!sorted) /* It is one that a test made. */
		qsort(table->pids, len, sizeof(*table->pids), compare);
	return len;
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
static bool update(struct table *table, struct process *process,
		   struct table_result *result)
{
	char state = '\0';
	int rc =
		process_update(process, &table->source, &table->groups, &state);

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

/* Reads the processes in pids[]; those that are not there any more go. */
static void merge(struct table *table, size_t pids_len,
		  struct table_result *result)
{
	struct process *old = table->processes,
		       *old_end = table->processes + table->len;
	size_t len = 0;

	for (size_t i = 0; i < pids_len; i++) {
		struct process *process = &table->next[len];

		while (old < old_end && old->pid < table->pids[i])
			process_done(old++, &table->source);
		if (old < old_end && old->pid == table->pids[i])
			*process = *old++;
		else
			*process = (struct process){ .pid = table->pids[i],
						     .fresh = true };
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

int table_read(struct table *table, const char *folder,
	       struct table_result *result)
{
	DIR *all = opendir(folder);
	size_t pids_len;

	if (all == NULL)
		return -errno;
	*result = (struct table_result){ 0 };
	table->source.folder = dirfd(all);
	for (unsigned i = 0; i < table->groups.len; i++)
		group_begin(&table->groups.items[i]);
	table->groups.reads++;
	pids_len = list(table, all);
	merge(table, pids_len, result);
	closedir(all);
	return 0;
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->len; i++)
		process_done(&table->processes[i], &table->source);
	free(table->processes);
	free(table->next);
	free(table->pids);
}
