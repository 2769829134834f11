/* SPDX-License-Identifier: MIT */
/* All processes of the machine, by one walk over /proc for each read; those that have slept are not
 * read again. */
#pragma once

#include "kit/base/pids.h"

#include "process.h"

struct table_states { /* Processes, by state. */
	unsigned running, sleeping, zombies, stopped, paging, blocked;
};

struct table_result {
	struct table_states states;
	unsigned found;
	unsigned asked;      /* Processes whose stat was read. */
	unsigned failed;     /* Processes that could not be read ... */
	int error;           /* ... the first of them: -errno, */
	uint32_t failed_pid; /* and its pid. */
};

struct table {
	struct mc_kept_files source;
	struct process_groups groups;
	struct process *processes, *next; /* By pid; 'next' is being made. */
	size_t len, size;                 /* Of processes; room in both. */
	struct mc_pids pids;
};

/* Reads the processes below 'folder', which is /proc, and adds up groups.  'mount' is
 * /sys/fs/cgroup, or NULL.  Returns 0, or -errno if the folder cannot be read. */
int table_read(struct table *, const char *folder, const char *mount, struct table_result *);

/* Frees the processes. */
void table_done(struct table *);
