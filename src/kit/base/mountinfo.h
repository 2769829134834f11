/* SPDX-License-Identifier: MIT */
/* kit/base/mountinfo.h - lines of /proc/PID/mountinfo (proc(5)), and which file systems may hang.
 * Pure functions. */
#pragma once

#include <stdbool.h>

struct mc_mountinfo {        /* Of a line, in which its texts lie; escapes are as they were. */
	char *number;        /* "8:1" */
	char *point;         /* "/home" */
	const char *type;    /* "ext4" */
	char *source;        /* "/dev/sda1" */
	const char *options; /* Of the file system itself, whatever the mount is. */
};

/* False: it is not such a line.  Changes it. */
bool mc_mountinfo_parse(char *line, struct mc_mountinfo *out);

/* Whether another process or machine answers for a file system, so a look at its files may hang. */
bool mc_mount_is_remote(const char *type, const char *source);
