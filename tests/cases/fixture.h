/* SPDX-License-Identifier: MIT */
/* The fake root below which a plugin reads: a copy of a case's folder, which
 * changes from read to read the way /proc does, with files that stay open.
 *
 * Three things cannot lie in a folder as they are:
 *   DIR/.statvfs   what statvfs() says of DIR and all below it: blocks, free,
 *                  available, size of a block, then inodes, free, available;
 *                  or "error N" for an errno
 *   F.symlink      becomes a symbolic link F to what its text names
 *   F.entries      becomes F, in the format of utmp(5): a line "user NAME TTY"
 *                  is a session; any other first word is none, but "half",
 *                  which is an entry that ends too early */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes an empty root and writes its path to 'root'. */
void fixture_init(char *root, size_t size);

/* Makes 'root' look like 'folder': a file in both is written anew, one that is
 * only in 'root' becomes empty and is removed. */
void fixture_lay(const char *root, const char *folder);

/* Removes the root and all in it. */
void fixture_done(const char *root);
