/* SPDX-License-Identifier: MIT */
/* One process, from read to read: its identity, its groups, and its figures at the last read. */
#pragma once

#include "delays.h"
#include "group.h"
#include "source.h"

struct process_member; /* Only for those that a group selects. */

struct process {
	uint32_t pid;
	bool known;                    /* It has been read before. */
	bool fresh;                    /* Not before this read: all it has used is new. */
	uint64_t start;                /* With the pid, this process and no other. */
	uint64_t identity;             /* Of its name and stack: execve() changes it. */
	uint64_t command;              /* Of its command line. */
	struct process_member *member; /* NULL: in no group. */
};

struct process_groups { /* All of them, for process_update(). */
	struct group *items;
	unsigned len;
	bool regexes;          /* One of them looks at command lines. */
	unsigned reads;        /* So far. */
	struct delays *delays; /* NULL: they are not asked for. */
};

/* Reads the process; its state is set, and its groups get its sample.  Returns -ENOENT if it has
 * ended, -EINVAL if the kernel's text is not understood, or another errno. */
int process_update(struct process *, struct mc_kept_files *, const struct process_groups *,
		   char *state);

/* Gives back what it has, when it has ended. */
void process_done(struct process *, struct mc_kept_files *);
