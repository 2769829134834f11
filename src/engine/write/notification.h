/* SPDX-License-Identifier: MIT */
/* Notifications on their way into a writer's notification queue, and out of it. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#include "engine/write/worker.h"

struct writer;

/* Puts a copy of a notification in the notification queue of a writer that wants it; the oldest
 * that wait go, counted, if it would be over its limit.  'source', which is only compared, has a
 * share of its own of what the writer takes.  Thread: any. */
void notification_put(struct writer *, const void *source, const struct mc_notification *);

/* Need the lock of the writer.  When a notification is to be handed out, and
 * whether it is now; CLOCK_NEVER: none waits. */
mc_time notification_due(struct writer *);
bool notification_is_due(struct writer *);

/* Hands the oldest notification to the plugin, which may ask for more of them; at the end all of
 * them, once.  Thread: the writer's. */
void notification_hand_out(struct writer *);
void notification_hand_out_rest(struct writer *);

/* Needs the lock of the writer, and lets it go meanwhile.  Waits in that state of its worker until
 * then, or for the next notifications, which are handed out, or for a change. */
void notification_wait(struct writer *, enum worker_state, mc_time until);
