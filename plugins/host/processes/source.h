/* SPDX-License-Identifier: MIT */
/* Reads the files of /proc/PID/.  Those of a process that is read again and
 * again stay open: that saves two of three system calls, and a descriptor of a
 * process that has ended never shows the next one with its number. */
#ifndef PROCESSES_SOURCE_H
#define PROCESSES_SOURCE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOURCE_TEXT_SIZE 8192 /* More is cut; a command line may be longer. */

struct source {
	int folder; /* /proc, as long as a read lasts. */
	size_t kept, kept_max;
	char text[SOURCE_TEXT_SIZE + 1];
};

/* Reads /proc/PID/NAME into 'text'; the size, or -errno: -ENOENT if the process
 * has ended. */
ssize_t source_read(struct source *, uint32_t pid, const char *name);

/* Likewise with '*fd', which is -1 at first; it stays open as long as there are
 * fewer than 'kept_max'. */
ssize_t source_read_kept(struct source *, uint32_t pid, const char *name,
			 int *fd);
void source_close(struct source *, int *fd);

/* /proc/PID/NAME/, for closedir(), or NULL and errno; and how many entries it
 * has, or -errno. */
DIR *source_open_folder(struct source *, uint32_t pid, const char *name);
int64_t source_count_entries(struct source *, uint32_t pid, const char *name);

/* The lines of /proc/PID/NAME, however long, or -errno. */
int64_t source_count_lines(struct source *, uint32_t pid, const char *name);

#endif
