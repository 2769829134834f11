/* SPDX-License-Identifier: MIT */
/* One process, from read to read: its identity, its groups, and its figures at the last read. */
#pragma once

#include "delays.h"
#include "group.h"
#include "leaf.h"
#include "source.h"

struct process_member; /* Only for those that a group selects. */

struct process {
	uint32_t pid;
	bool known;                    /* It has been read before. */
	bool fresh;                    /* Not before this read: all it has used is new. */
	uint64_t start;                /* With the pid, this process and no other. */
	uint64_t identity;             /* Of its name and stack: execve() changes it. */
	uint64_t command;              /* Of its command line. */
	bool complete;                 /* All that is wanted was there at the last read. */
	char state;                    /* At the last read. */
	uint32_t threads;              /* The same. */
	int clock;                     /* Of schedstat, open; -1, or PROCESS_CLOCKLESS. */
	uint64_t ran;                  /* Hash of its text at the last read. */
	struct leaf *leaf;             /* Where it lives; NULL: not known. */
	struct process_member *member; /* NULL: in no group. */
};

#define PROCESS_CLOCKLESS (-2) /* The kernel does not show when it ran. */

struct process_groups { /* All of them, for process_update(). */
	struct group *items;
	unsigned len;
	bool regexes;   /* One of them looks at command lines. */
	unsigned reads; /* So far. */
	bool all;       /* Each process is read, whether it ran or not. */
	unsigned asked; /* Processes whose stat was read in this read. */
	struct leaves leaves;
	struct delays *delays; /* NULL: they are not asked for. */
};

/* Reads the process, if it can have changed; its state is set, and its groups get its sample.
 * Returns -ENOENT if it has ended, -EINVAL if the kernel's text is not understood, or another
 * errno. */
int process_update(struct process *, struct mc_kept_files *, struct process_groups *, char *state);

/* Gives back what it has, when it has ended. */
void process_done(struct process *, struct mc_kept_files *);
