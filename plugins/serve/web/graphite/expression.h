/* SPDX-License-Identifier: MIT */
/* A target of Graphite's render API: "alias(sumSeries(a.*.c,scale(b,2)),'x')".  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define EXPRESSION_SIZE 8192 /* Of a text. */
#define EXPRESSION_DEPTH 16
#define EXPRESSION_NODES 256

struct expression {
	enum expression_kind {
		EXPRESSION_PATH,
		EXPRESSION_NUMBER,
		EXPRESSION_TEXT,
		EXPRESSION_BOOLEAN, /* 'number' is 1 or 0. */
		EXPRESSION_NONE,
		EXPRESSION_CALL,
	} kind;
	char *text;                      /* The path, the text, or the name of the function; of a
					  * number as it stands. */
	char *source;                    /* Of a call: the whole. */
	char *keyword;                   /* Of an argument "keyword=..."; or NULL. */
	double number;                   /* Also infinity. */
	struct expression *first, *next; /* Arguments; the one after this. */
};

/* NULL, and the reason, if it is invalid. */
struct expression *expression_parse(const char *text, const char **why);
void expression_free(struct expression *); /* NULL is fine. */

/* The path that comes first in it; NULL without one. */
const char *expression_first_path(const struct expression *);
