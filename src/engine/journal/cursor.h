/* SPDX-License-Identifier: MIT */
/* How far a writer has come in the journal: a file of two slots, written in
 * turn, so that one is whole whatever happens; see formats/journal/frame.h.  It is a hint:
 * when it is gone, the writer begins at the oldest record again. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/journal.h>

struct cursor {
	struct cursor *older; /* The next one of its journal. */
	char *writer;
	uint64_t epoch; /* Of its journal. */
	int file;       /* -1: it cannot be written. */
	uint64_t generation;
	_Atomic uint64_t next; /* As written. */
	_Atomic uint64_t failures;
	_Atomic bool doubtful; /* A sync failed since it was written. */
};

/* The cursor of a writer in the journal of that epoch, its file made if need be. */
struct cursor *cursor_new(int folder, const char *writer, uint64_t epoch);
void cursor_free(struct cursor *);

/* Where it stands: the first record that is not done with.  False: its file
 * does not say, or was another journal's. */
bool cursor_find(const struct cursor *, struct mc_offset *);

/* Reads the cursor in a file of that name, and the epoch of its journal. False:
 * it has none. */
bool cursor_read(int folder, const char *name, uint64_t *epoch, struct mc_offset *);

/* Writes an offset; a kill of the process does not undo it.  One thread. */
void cursor_move(struct cursor *, const struct mc_offset *);

/* Its writer is gone for now: no record is kept for it any more.  Its file stays.  Thread: the one
 * that moves it. */
void cursor_let_go(struct cursor *);

/* Has the kernel write it to the disk.  0 or -errno; after a failure not again before it is moved,
 * because the kernel would say yes.  Thread: any. */
int cursor_sync(struct cursor *);
