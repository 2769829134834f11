/* SPDX-License-Identifier: MIT */
/* How busy each CPU was between two reads, from /proc/stat, and which are hyperthreads. */
#pragma once

#include <stdbool.h>

#include "kit/base/kept_file.h"

#include "blame.h"

struct cpus {
	struct blame_cpu items[BLAME_CPUS_MAX];
	size_t len;
	bool has_before;
	struct {
		uint64_t busy, idle;
	} before[BLAME_CPUS_MAX];
	char *text; /* Of /proc/stat. */
};

/* Reads the counters at 'path'.  Returns 1 if there are 'items' now, 0 at the first read, or
 * -errno, -EBADMSG if it is not understood. */
int cpus_read(struct cpus *, const char *path);

/* Which CPUs are of one core, from 'folder', /sys/devices/system/cpu. */
void cpus_read_cores(struct cpus *, const char *folder);

/* The next read is the first again. */
void cpus_forget(struct cpus *);
void cpus_done(struct cpus *);
