/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history as an RRD file, for librrd draws only from files: it is small, in
 * memory where there is /dev/shm, and there for one picture. */
#pragma once

#include <collector/history.h>

#define FILE_SOURCES_MAX 8 /* Of a type that are drawn. */

#define FILE_FOLDER_SIZE 64

/* Makes a folder that nobody else can write to.  0 or -errno. */
int file_folder_new(char path[FILE_FOLDER_SIZE]);
void file_folder_free(const char *path);

/* Writes 'path'.  Its data sources are "a0" and so on for the averages, "m0" and so on for the
 * maxima of the type's sources.  0 or -errno; librrd has the reason. */
int file_write(const char *path, const struct mc_history *);
