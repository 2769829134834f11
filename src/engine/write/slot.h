/* SPDX-License-Identifier: MIT */
/* What series carry for a writer: a pointer each, in the slot that is its own.
 */
#pragma once

#include <limits.h>

struct mc_batch;
struct store;
struct writer;

#define SLOT_NONE UINT_MAX

/* Which slot is the writer's; set before it begins. */
void slot_set(struct writer *, unsigned slot);
unsigned slot_of(const struct writer *);

/* The series that carried it has ended: the plugin is to forget it.  Any
 * thread.
 */
void slot_end(struct writer *, void *pointer);

/* Has the plugin forget what a slot held.  The writer's thread, or when that
 * has ended and the plugin has stopped. */
void slot_forget(struct writer *, void *pointer);

/* Then also: all that the writer was told to forget since. */
void slot_forget_rest(struct writer *);

/* Takes the pointers of that slot out of all series and shows them; nobody may
 * use the slot any more.  'batch' is the caller's, begun after the last use.
 * When it returns, settings.forget is under way for none of that slot. */
void slot_clear(struct store *, struct mc_batch *batch, unsigned slot,
		void (*visit)(void *argument, void *pointer), void *argument);
