/* SPDX-License-Identifier: MIT */
/* Where an update of a daemon's file goes: into the backlog, or to what waits
 * for the file.  The caller locks. */
#pragma once

#include "daemon.h"

/* Takes an update that is newer than all before of that file, from that offset in the journal.
 * Returns how many samples it has; 0, and nothing done: there is no room. */
uint64_t enqueue_update(struct daemon *, struct file *, int64_t second,
			const union mc_value *values, struct mc_offset);

/* When there is no room: whether the oldest make way for an update of that file. */
bool enqueue_make_room(struct daemon *, const struct file *);
