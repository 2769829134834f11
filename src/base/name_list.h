/* SPDX-License-Identifier: MIT */
/* Entries in the order of their names, each name once: for some thousand that rarely come and go.
 * An entry begins with its name and belongs to the caller.  No function locks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct name_list { /* All zero: empty. */
	void **items;
	size_t len, room;
};

/* Whether there is an entry of that name, of 'size' bytes; sets 'at' to its index, or to the one
 * that it would have. */
bool name_list_find(const struct name_list *, const char *name, size_t size, size_t *at);

/* Puts an entry, whose first member is its name, 'char *', where name_list_find() has said. */
void name_list_insert(struct name_list *, size_t at, void *entry);

/* Takes out the entry at 'at', and returns it. */
void *name_list_remove(struct name_list *, size_t at);

void name_list_done(struct name_list *); /* The entries are not freed. */
