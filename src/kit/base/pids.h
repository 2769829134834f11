/* SPDX-License-Identifier: MIT */
/* kit/base/pids.h - which processes there are, in libkit. */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

struct mc_pids {         /* All zero: empty. */
	uint32_t *items; /* Ascending. */
	size_t len, size;
};

/* Lists 'folder', an open /proc, into 'pids': former contents go, but their memory is used again.
 * Names that are not pids are skipped.  Thread: any. */
void mc_list_pids(DIR *folder, struct mc_pids *pids);

/* Frees 'items' and makes it empty. */
void mc_pids_done(struct mc_pids *pids);
