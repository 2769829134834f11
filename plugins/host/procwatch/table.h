/* SPDX-License-Identifier: MIT */
/* The processes of the machine, for daemons that are found by name or command
 * line.  /proc is listed once for all of them.
 *
 * A process is read when it is new, and again at the next two reads, as it may
 * call execve(2) soon; after that once in 16 reads.  So a read in which nothing
 * is new costs hardly more than the list. */
#pragma once

#include <collector/plugin.h>

#include "kit/base/kept_file.h"
#include "kit/base/pids.h"

struct process {
	uint32_t pid;
	unsigned reads; /* How often it was read. */
	uint64_t start; /* Ticks since boot; 0: it is not visible. */
	bool is_kernel; /* A thread of the kernel. */
	char name[64];
	char *command; /* NULL: not read yet; "": none that can be read. */
};

struct table {
	struct process *items, *next; /* By pid; 'next' is being made. */
	size_t len, room;
	struct mc_pids pids;
	uint64_t reads;
	bool is_current; /* Of this read. */
};

/* For each read, before anything else. */
void table_begin(struct table *);

/* Lists /proc, the folder of 'files', unless that was done for this read.  0 or -errno. */
int table_fill(struct table *, struct mc_kept_files *files);

/* Reads the command lines of those of 'wanted' that have none: 'len' processes
 * of the table.  One that hangs has none.  0 or a negative errno. */
int table_read_commands(struct mc_ctx *, struct process *const *wanted, size_t len);

/* At the end of each read: frees what no read has asked for. */
void table_end(struct table *);
void table_done(struct table *);
