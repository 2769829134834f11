/* SPDX-License-Identifier: MIT */
/* Running without a terminal, as daemon(7) describes it for System V. */
#pragma once

#include <stdbool.h>

struct background {
	int ready_fd; /* To the process that was started; -1: in front. */
	int pid_fd;   /* Descriptor of the PID file, locked; -1: none. */
	const char *pid_path;
};

/* Goes on in a new session, in a process of its own.  The process that was
 * started waits, and ends with the status given to background_report().
 * Returns 0 or -errno.  Before any thread is started. */
int background_enter(struct background *);

/* Reports the outcome to that process: 0, all works, or an exit status.  The first report
 * counts. */
void background_report(struct background *, int status);

/* Lets go of the terminal: standard input and output, and standard error if
 * the log goes elsewhere. */
void background_detach(bool keep_stderr);

/* Writes the process id, and keeps the file locked.  0; -EEXIST if a collector
 * has it; or another negative errno.  The path must stay. */
int background_write_pid(struct background *, const char *path);
void background_remove_pid(struct background *);
