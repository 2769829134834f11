/* SPDX-License-Identifier: MIT */
/* Lines of Redis' answer to INFO: "used_memory:1048576". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct info_field {
	const char *name, *value; /* Parts of the text, which ends them. */
};

/* Takes the next field, and moves '*at' past it; the text is changed.  False at the end. */
bool info_next(char **at, struct info_field *field);

/* The number that a value begins with, and the same without decimals; -1: that does not fit. */
bool info_number(const char *value, double *level, int64_t *total);

/* The number after "NAME=" in a list such as "keys=4,expires=0". */
bool info_item(const char *list, const char *name, double *level, int64_t *total);
