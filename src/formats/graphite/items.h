/* SPDX-License-Identifier: MIT */
/* The memory of the machine that reads pickles: its stack, the contents of its tuples, and its
 * memo, each with a limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { MARK, OTHER, WHOLE, NUMBER, TEXT, TUPLE, LIST };

struct item {
	enum kind kind;
	uint32_t size; /* TEXT: bytes; TUPLE: items. */
	union {
		int64_t whole;
		double number;
		const char *text; /* In the pickle. */
		size_t first;     /* TUPLE: of the contents of tuples. */
	} of;
};

struct items { /* All zero: none; 'at' is for free(). */
	struct item *at;
	size_t len, room;
	size_t limit; /* Of 'len'. */
};

/* Begins with none.  A limit of few is more than that. */
void items_begin(struct items *, size_t limit);

/* False: there are as many as may be. */
bool items_add(struct items *, struct item);

/* Has none any more, and no memory of a mebibyte or more. */
void items_end(struct items *);
