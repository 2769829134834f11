/* SPDX-License-Identifier: MIT */
/* Reads the journal's records in their order, beside the thread that adds them.  Damaged parts are
 * skipped, counted and kept aside. */
#pragma once

#include "engine/journal/journal.h"

struct reader;

struct reader *journal_reader_new(struct journal *);
void journal_reader_free(struct reader *);

/* The record 'seq', or the first one there is after it; its payload is the reader's until the next
 * call.  1; 0 at the end; -errno if it cannot be read now, but perhaps later. */
int journal_reader_next(struct reader *, uint64_t seq, struct frame *);

/* Lets its file and its memory go until the next call: a removed file occupies the disk while it
 * is open. */
void journal_reader_rest(struct reader *);
