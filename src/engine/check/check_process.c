/* SPDX-License-Identifier: MIT */
#include "engine/check/check_process.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 320

static void read_name(struct check_process *process)
{
	char path[PATH_SIZE];
	FILE *file;

	process->name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process->pid);
	file = fopen(path, "re");
	if (file == NULL)
		return;
	if (fgets(process->name, sizeof(process->name), file) != NULL)
		process->name[strcspn(process->name, "\n")] = '\0';
	fclose(file);
}

bool check_process_find(bool (*is_it)(const struct check_process *, void *argument), void *argument)
{
	const struct dirent *entry;
	DIR *folder = opendir("/proc");
	bool found = false;

	while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
		struct check_process process = {
			.pid = (pid_t)strtol(entry->d_name, NULL, 10),
		};

		if (process.pid <= 0)
			continue;
		read_name(&process);
		found = is_it(&process, argument);
	}
	if (folder != NULL)
		closedir(folder);
	return found;
}

bool check_process_holds(const struct check_process *process, const char *wanted)
{
	char path[PATH_SIZE], target[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process->pid);
	folder = opendir(path);
	while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
		ssize_t size = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);

		if (size < 0)
			continue;
		target[size] = '\0';
		found = strcmp(target, wanted) == 0;
	}
	if (folder != NULL)
		closedir(folder);
	return found;
}

void check_process_describe(const struct check_process *process, char *out, size_t size)
{
	snprintf(out, size, "process %d (%s)", (int)process->pid, process->name);
}
