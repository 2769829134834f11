/* SPDX-License-Identifier: MIT */
/* How the QEMU of a guest has ended: by its exit status, which its parent gets, and others by a
 * descriptor of the process (include/uapi/linux/pidfd.h, since Linux 6.15), or from /proc until the
 * parent has asked for it (proc(5), exit_code of stat). */
#pragma once

#include <collector/plugin.h>

#include "kit/base/qemu.h"

struct ends_item {
	char name[MC_QEMU_NAME_SIZE];
	uint32_t pid;
	int status;
};

struct ends { /* Guests that have ended since the last report. */
	struct ends_item *items;
	size_t len, size;
};

/* A descriptor of the process, which is closed by the caller, or -1. */
int ends_watch(uint32_t pid);

/* The exit status of a process that has ended, as wait(2) has it; 'stat' is the text of its stat,
 * or NULL if it is gone.  False: it is not known. */
bool ends_status(int pidfd, const char *stat, int *status);

/* Adds one; a copy. */
void ends_add(struct ends *, const char *name, uint32_t pid, int status);

/* Reports each that has crashed or failed, and empties the list.  Thread: the reader's. */
void ends_report(struct mc_ctx *, struct ends *, bool guests_are_hosts);
void ends_done(struct ends *);
