/* SPDX-License-Identifier: MIT */
/* Control groups (Documentation/admin-guide/cgroup-v2.rst) that have processes: whether anything in
 * one of them used a CPU since the last read.  A process that used none has the same figures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/map.h>
#include <collector/scan.h>

#include "kit/base/kept_file.h"

struct leaf;

struct leaves {
	struct mc_kept_files files; /* Below the mount, as long as a read lasts. */
	struct mc_map map;          /* Leaves, by the path that processes have. */
	bool is_there;              /* There is such a hierarchy. */
	unsigned reads;
};

/* Begins a read: asks each leaf what it has used.  'mount' is /sys/fs/cgroup. */
void leaf_begin(struct leaves *, const char *mount);

/* Ends it: forgets leaves that leaf_use() did not name since. */
void leaf_end(struct leaves *);

/* The leaf of a process whose /proc/PID/cgroup says 'path', until a leaf_end() without its use.
 * NULL if the group says nothing: the root, one that this namespace does not show.  One that is
 * new ran, at the next read too. */
struct leaf *leaf_find(struct leaves *, struct mc_word path);

/* Whether something in it has run since the read before, or may have. */
bool leaf_ran(const struct leaf *);
void leaf_use(struct leaf *, const struct leaves *);

void leaf_done(struct leaves *);
