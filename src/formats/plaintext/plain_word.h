/* SPDX-License-Identifier: MIT */
/* Words of a line of the plain text protocol.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/plaintext/plain_number.h"

enum plain_word_result {
	PLAIN_WORD_FOUND,
	PLAIN_WORD_NONE,         /* The line is at its end. */
	PLAIN_WORD_UNTERMINATED, /* No closing quote. */
	PLAIN_WORD_BACKSLASH,    /* A backslash is the last character. */
	PLAIN_WORD_LONG,         /* It does not fit. */
};

struct plain_word {
	char *text; /* Ended by '\0'. */
	size_t size;
	bool quoted; /* At least in part. */
};

/* Cuts the next word off the line that '*rest' points at, in place: without
 * its quotes, ended by '\0'. */
enum plain_word_result plain_word_cut(char **rest, struct plain_word *);

/* The same, but writes the word to a buffer and leaves the line alone. */
enum plain_word_result plain_word_copy(char **rest, char *out, size_t size, struct plain_word *);

/* The next character that is not a blank. */
static inline char *plain_word_start(char *rest)
{
	while (plain_number_blank(*rest))
		rest++;
	return rest;
}

/* The first blank, or the '\0'. */
char *plain_word_end(char *word);
