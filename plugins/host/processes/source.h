/* SPDX-License-Identifier: MIT */
/* Reads the files of /proc/PID/; those of a process that is read again and again stay open: see
 * kit/base/kept_file.h.  The folder of 'source' is /proc, as long as a read lasts. */
#pragma once

#include "kit/base/kept_file.h"

/* As mc_kept_read_once() and mc_kept_read(), of /proc/PID/NAME. */
ssize_t source_read(struct mc_kept_files *, uint32_t pid, const char *name);
ssize_t source_read_kept(struct mc_kept_files *, uint32_t pid, const char *name, int *fd);

/* /proc/PID/NAME/, for closedir(), or NULL and errno; and how many entries it has, or -errno. */
DIR *source_open_folder(struct mc_kept_files *, uint32_t pid, const char *name);
int64_t source_count_entries(struct mc_kept_files *, uint32_t pid, const char *name);

/* The lines of /proc/PID/NAME, however long, or -errno. */
int64_t source_count_lines(struct mc_kept_files *, uint32_t pid, const char *name);
