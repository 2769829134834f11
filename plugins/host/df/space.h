/* SPDX-License-Identifier: MIT */
/* Asks file systems how full they are, and is not held up by one that does not
 * answer: that one is left alone until it has.  For the thread of read(). */
#pragma once

#include <sys/statvfs.h>

#include <collector/plugin.h>

#include "mounts.h"

struct trouble; /* Of one mount point. */

struct space {
	struct trouble *troubles; /* Most often none at all. */
	size_t len;
	unsigned late; /* File systems found hanging in this read. */
};

/* Before the first question of a read. */
void space_begin(struct space *);

/* Asks the file system on the mount point.  Returns false if there is no
 * answer, which is logged once until there is one. */
bool space_ask(struct mc_ctx *, struct space *, const struct mount *, struct statvfs *);

/* After the last: forgets trouble with what is not mounted any more. */
void space_end(struct space *);

void space_free(struct space *);
