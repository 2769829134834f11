/* SPDX-License-Identifier: MIT */
/* How far a writer has come in the journal: a file of two slots, written in
 * turn, so that one is whole whatever happens; see wire/frame.h.  It is a hint:
 * when it is gone, the writer begins at the oldest record again. */
#ifndef COLLECTOR_ENGINE_CURSOR_H
#define COLLECTOR_ENGINE_CURSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cursor_place {
	uint64_t epoch;
	uint64_t next;   /* The first record that is not done with. */
	uint64_t before; /* Samples of all records before it. */
};

struct cursor {
	int file; /* -1: it cannot be written. */
	uint64_t generation;
	_Atomic uint64_t next; /* As written. */
	_Atomic uint64_t failures;
	_Atomic bool doubtful; /* A sync failed since it was written. */
};

/* Opens the cursor of a writer, made if need be.  True if it had a place. */
bool cursor_open(struct cursor *, int folder, const char *writer,
		 struct cursor_place *);
void cursor_close(struct cursor *);

/* Reads the cursor in a file of that name.  False: it has none. */
bool cursor_read(int folder, const char *name, struct cursor_place *);

/* Writes a place; a kill of the process does not undo it.  One thread. */
void cursor_move(struct cursor *, const struct cursor_place *);

/* Has the kernel write it to the disk.  0 or -errno; after a failure not again
 * before it is moved, because the kernel would say yes.  Any thread. */
int cursor_sync(struct cursor *);

#endif
