/* SPDX-License-Identifier: MIT */
/* Pointers that series carry for a writer: one each, in its own slot. */
#pragma once

#include <limits.h>

struct mc_batch;
struct store;
struct writer;

#define SLOT_NONE UINT_MAX

/* Which slot is the writer's; set before it begins. */
void slot_set(struct writer *, unsigned slot);
unsigned slot_of(const struct writer *);

/* The series that carried it has ended: the plugin is to forget it.  Thread: any. */
void slot_end(struct writer *, void *pointer);

/* Has the plugin forget what a slot held.  Thread: the writer's, or when that has ended and the
 * plugin has stopped. */
void slot_forget(struct writer *, void *pointer);

/* The same, with all that the writer had to forget since. */
void slot_forget_rest(struct writer *);

/* Takes the pointers of that slot out of all series and shows them; the slot may not be used any
 * more.  'batch' is the caller's, begun after the last use.  When it returns, no call of
 * settings.forget for that slot is under way. */
void slot_clear(struct store *, struct mc_batch *batch, unsigned slot,
		void (*visit)(void *argument, void *pointer), void *argument);
