/* SPDX-License-Identifier: MIT */
/* Asks the kernel for the delays of processes: taskstats of generic netlink. */
#pragma once

#include "taskstats.h"

struct delays {      /* All zero: not open. */
	int socket;  /* Plus one, so that zero means none. */
	int failure; /* Of the last questions, the first: a negative errno. */
	uint16_t family;
	uint32_t sequence;
};

/* The delays of process 'pid', which may be any that /proc shows.  Returns 0 or a negative errno:
 * -ESRCH if it has ended, -EPERM without CAP_NET_ADMIN; -ENOENT if the kernel was built without
 * taskstats; any but -ESRCH is kept in 'failure', too. */
int delays_read(struct delays *, uint32_t pid, struct taskstats_delays *);

void delays_done(struct delays *);
