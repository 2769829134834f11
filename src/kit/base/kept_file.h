/* SPDX-License-Identifier: MIT */
/* kit/base/kept_file.h - files of the kernel that are read again and
 * again, such as those of a process or of a control group, in libkit.
 *
 * They stay open between reads, up to a number: that saves two of three system
 * calls, and a descriptor of a process that has ended never shows the next one
 * with its number.  No function logs; one thread at a time.
 */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MC_KEPT_TEXT_SIZE 8192 /* More is cut. */
#define MC_KEPT_PATH_SIZE 300

struct mc_kept_files {
	int folder; /* Paths begin here; -1: nothing can be opened. */
	size_t kept, kept_max;
	char text[MC_KEPT_TEXT_SIZE + 1]; /* The text read last, and '\0'. */
};

/* Half of the descriptors that the collector may have, for 'kept_max': all else needs some, too. */
size_t mc_kept_limit(void);

/* Reads the file at 'path' into 'text'; its size, or -errno: -ENOENT also if it
 * belongs to a process that has ended. */
ssize_t mc_kept_read_once(struct mc_kept_files *, const char *path);

/* The same with '*fd', which is -1 at first; it stays open as long as there are fewer than
 * 'kept_max'.  An empty file is opened again at the next read. */
ssize_t mc_kept_read(struct mc_kept_files *, const char *path, int *fd);
void mc_kept_close(struct mc_kept_files *, int *fd);

/* The folder at 'path', for closedir(), or NULL and errno; and how many entries
 * it has, or -errno. */
DIR *mc_kept_open_folder(struct mc_kept_files *, const char *path);
int64_t mc_kept_count_entries(struct mc_kept_files *, const char *path);

/* Writes "PID/NAME", cut, and returns 'out'. */
const char *mc_kept_pid_path(char out[MC_KEPT_PATH_SIZE], uint32_t pid, const char *name);
