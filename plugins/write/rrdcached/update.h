/* SPDX-License-Identifier: MIT */
/* The first connection of a daemon: batches of updates, and what comes of them.  Used by run(). */
#pragma once

#include "daemon.h"

/* Sends all batches that are ready; before those whose files are not known,
 * what reconcile.h asks. */
void update_send(struct daemon *, mc_time now, mc_time *wake);

/* Needs the lock.  A line of an answer to a batch.  Returns -EPROTO if none was expected. */
int update_answer(struct daemon *, const struct reply_line *, mc_time now);
