/* SPDX-License-Identifier: MIT */
/* Processes of this host that hold something, and what daemons they are: /proc,
 * proc(5).  A process of another user is seen by root only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CHECK_COLLECTD "collectd"
#define CHECK_COLLECTOR "collectord"

struct check_process {
	pid_t pid;
	char name[32]; /* Name of its program, or "". */
};

/* Calls 'is_it' with each process of this host, until it returns true; false:
 * it never does. */
bool check_process_find(bool (*is_it)(const struct check_process *, void *argument),
			void *argument);

/* Whether a process has open what its links in /proc/PID/fd have as their
 * target: "socket:[12]", or the path of a folder. */
bool check_process_holds(const struct check_process *, const char *target);

/* "process 12 (nginx)" */
void check_process_describe(const struct check_process *, char *out, size_t size);
