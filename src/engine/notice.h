/* SPDX-License-Identifier: MIT */
/* Notices on their way into a writer's lane, and out of it. */
#ifndef COLLECTOR_ENGINE_NOTICE_H
#define COLLECTOR_ENGINE_NOTICE_H

#include <stdbool.h>

#include <collector/plugin.h>

struct writer;

/* Puts a copy of a notice in the lane of a writer that wants it; the oldest
 * that wait go, counted, if it would be over its limit.  Any thread. */
void notice_put(struct writer *, const struct mc_notice *);

/* Needs the lock of the writer.  Whether a notice is to be handed out now. */
bool notice_is_due(const struct writer *);

/* Hands the oldest notice to the plugin, which may ask for more of them; at the
 * end all of them, once.  The writer's thread. */
void notice_hand_out(struct writer *);
void notice_hand_out_rest(struct writer *);

/* Needs the lock of the writer, and lets it go meanwhile.  Waits until then, or
 * for the next notices, which are handed out, or for a change. */
void notice_wait(struct writer *, mc_time until);

#endif
