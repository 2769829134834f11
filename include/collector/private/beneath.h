/* SPDX-License-Identifier: MIT */
/* collector/private/beneath.h - files below a folder in which others can write, too.
 *
 * A user who may write there can put a symbolic link in place of a directory, and so redirect our
 * writes to any place we may write to.  So no component of a path that is given to these functions
 * is followed if it is a symbolic link, and none leads out of the folder: -ELOOP, -EXDEV.  The
 * folder itself may be reached by links: its descriptor is opened as usual, O_PATH suffices.
 *
 * See openat2(2), RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS; where the kernel has
 * no such call the components are opened one by one with O_NOFOLLOW.
 *
 * All return a negative errno on failure, and may be called on any thread.
 */
#pragma once

#include <sys/types.h>

#pragma GCC visibility push(default)

/* A folder, with O_PATH: made if it is missing, and those in front of it. Links
 * are followed: its path is the administrator's. */
int mc_open_folder(const char *path, mode_t mode);

/* As openat(2), always with O_CLOEXEC and O_NOFOLLOW. */
int mc_open_beneath(int folder, const char *path, int flags, mode_t mode);

/* Makes each directory in front of the last component that is missing.  0 also
 * if all were there. */
int mc_mkdirs_beneath(int folder, const char *path, mode_t mode);

/* The directory in front of the last component, with O_PATH. */
int mc_parent_beneath(int folder, const char *path);

/* Removes a file, and each directory in front of it that is empty then.  -EINVAL: it is not a
 * regular file. */
int mc_remove_beneath(int folder, const char *path);

/* The same below the folder of that path, which is not made. */
int mc_remove_file(const char *folder, const char *path);

#pragma GCC visibility pop
