/* SPDX-License-Identifier: MIT */
/* File systems that have become read-only, as the kernel makes them after an error: each stands
 * among the alerts.  Facts: proc(5), /proc/self/mountinfo: options of the file system itself are
 * the last field of a line, whatever the mount is for this process; fstab(5). */
#pragma once

#include <collector/plugin.h>

#include "mounts.h"

struct read_only {
	struct read_only_device *devices;
	size_t len, size;
	mc_time due; /* Of the next look; 0: at once. */
};

struct read_only_line {     /* Of mountinfo; its texts lie in the line. */
	const char *number; /* "8:1" */
	const char *point;
	bool is_device; /* Its source is a path, such as "/dev/sda1". */
	bool is_read_only;
};

/* False: it is not such a line.  Changes it. */
bool read_only_parse(char *line, struct read_only_line *);

/* Whether fstab has that mount point, and not as read-only. */
bool read_only_fstab_writes(const char *fstab, const char *point);

/* Looks once a minute; returns whether it has, by mc_read_file().  read() */
bool read_only_look(struct mc_ctx *, struct read_only *);

/* Whether the device with that number has been read-only since the start, so that its value is
 * sent; the name of its mount point, and whether it is now. */
bool read_only_value(const struct read_only *, size_t number, char name[MOUNTS_NAME_SIZE],
		     bool *stands);

void read_only_free(struct read_only *);
