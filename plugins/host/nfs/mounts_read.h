/* SPDX-License-Identifier: MIT */
/* Reads /proc/self/mountstats, which has a megabyte for some hundred mounts, line by line. */
#pragma once

#include "mounts.h"

/* Puts the figures of mounts that one of the globs matches.  0, or what mc_fail() returned. */
int mounts_read(struct mc_ctx *, struct mc_batch *, struct mounts *,
		const struct mc_strings *globs);
