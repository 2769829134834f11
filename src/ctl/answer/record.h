/* SPDX-License-Identifier: MIT */
/* A line of STATUS or EXPLAIN taken apart: what it is about, and its pairs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ctl/answer/peer.h"

#define RECORD_PAIRS_MAX 32 /* More are ignored. */

struct record {
	const char *about; /* "reader"; "" for an empty line. */
	struct {
		const char *key, *value;
	} pairs[RECORD_PAIRS_MAX];
	size_t len;
};

/* Takes a line apart in place: the record points into it. */
struct record record_read(char *line);

/* The first 'most' lines of an answer; freed with free(), before the answer. */
struct record *record_read_all(struct answer *, size_t most);

/* The value of a key; "" and NaN without one. */
const char *record_text(const struct record *, const char *key);
double record_number(const struct record *, const char *key);
bool record_true(const struct record *, const char *key);

/* The record about 'about' whose name is 'name', or NULL. */
const struct record *record_find(const struct record *records, size_t len, const char *about,
				 const char *name);
