/* SPDX-License-Identifier: MIT */
/* The values of a JSON document that keys name.  Pure. */
#pragma once

#include <collector/plugin.h>

#include "keys.h"

#define DOCUMENT_DEPTH_MAX                                                                         \
	128 /* Maps and lists in each other, as collectd.                                          \
	     */
#define DOCUMENT_NAME_SIZE 256

/* The value of a document under a key. */
struct document_value {
	const struct key *key;
	const char *name; /* The names on the way to it: "stats-0-count". */
	const char *text; /* A number, or a string; true is "1", false "0". */
	size_t size;
};

struct document_taker { /* The receiver of the values. */
	void (*take)(void *argument, const struct document_value *);
	void *argument;
	uint64_t lost; /* Values that are left out: their names are too long. */
};

/* Reads a document, and calls back for each value if all of it is valid.  0; -EINVAL: it is no
 * JSON; -ELOOP: it is nested too deeply. */
int document_read(const char *text, size_t size, const struct keys_node *keys,
		  struct document_taker *);

/* A value as one of that kind: the number that it begins with, whole for all but a gauge, where a
 * fraction is cut off.  False if it does not begin with one, or with one that does not fit. */
bool document_number(const struct document_value *, enum mc_kind, union mc_value *out);
