/* SPDX-License-Identifier: MIT */
/* How far a writer has come in the journal: a file of two slots, written in
 * turn, so that one is whole whatever happens; see wire/frame.h.  It is a hint:
 * when it is gone, the writer begins at the oldest record again. */
#ifndef COLLECTOR_ENGINE_JOURNAL_CURSOR_H
#define COLLECTOR_ENGINE_JOURNAL_CURSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cursor_place {
	uint64_t epoch;
	uint64_t next;   /* The first record that is not done with. */
	uint64_t before; /* Samples of all records before it. */
};

struct cursor {
	struct cursor *older; /* The next one of its journal. */
	char *writer;
	int file; /* -1: it cannot be written. */
	uint64_t generation;
	_Atomic uint64_t next; /* As written. */
	_Atomic uint64_t failures;
	_Atomic bool doubtful; /* A sync failed since it was written. */
};

/* The cursor of a writer, its file made if need be; 'place' is where it stood,
 * or as it was. */
struct cursor *cursor_new(int folder, const char *writer,
			  struct cursor_place *place);
void cursor_free(struct cursor *);

/* Where it stands, as far as its file says so. */
bool cursor_find(const struct cursor *, struct cursor_place *);

/* Reads the cursor in a file of that name.  False: it has none. */
bool cursor_read(int folder, const char *name, struct cursor_place *);

/* Writes a place; a kill of the process does not undo it.  One thread. */
void cursor_move(struct cursor *, const struct cursor_place *);

/* Its writer is gone for now: no record is kept for it any more.  Its file
 * stays.  The thread that moves it. */
void cursor_let_go(struct cursor *);

/* Has the kernel write it to the disk.  0 or -errno; after a failure not again
 * before it is moved, because the kernel would say yes.  Any thread. */
int cursor_sync(struct cursor *);

#endif
