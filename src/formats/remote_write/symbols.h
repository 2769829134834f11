/* SPDX-License-Identifier: MIT */
/* Texts of requests of remote write, each kept once for all series that have it: names and values
 * of labels, help, units.  In a request of version 2.0 each is there once, and series refer to it
 * by its number.  One thread. */
#pragma once

#include <stdint.h>

#include <collector/kit/map.h>

struct symbol {
	struct mc_map_node node; /* By text. */
	uint32_t users;
	uint32_t request; /* In which it has a number; ... */
	uint32_t number;  /* ... that. */
	uint32_t size;
	uint32_t described; /* The metric of that name, in that turn. */
	char text[];        /* With a '\0'. */
};

struct symbols { /* All zero: empty. */
	struct mc_map map;
	uint32_t request;     /* The present one. */
	uint32_t turn;        /* Of metadata in requests of version 1.0; 0: they have none. */
	struct symbol **used; /* Of the present request; used[0] has the number 1. */
	uint32_t used_len;
	size_t used_room;
};

/* The symbol of a text, to be released. */
struct symbol *symbols_get(struct symbols *, const char *text);
void symbols_release(struct symbols *, struct symbol *); /* NULL is fine. */

/* Begins another request, in which none is used yet. */
void symbols_begin(struct symbols *);

/* For symbols_number(). */
uint32_t symbols_use(struct symbols *, struct symbol *);

/* The number of a symbol in the present request; 0, the empty text, for NULL. */
static inline uint32_t symbols_number(struct symbols *symbols, struct symbol *symbol)
{
	if (symbol == NULL)
		return 0;
	return symbol->request == symbols->request ? symbol->number : symbols_use(symbols, symbol);
}

/* When none has a user. */
void symbols_done(struct symbols *);
