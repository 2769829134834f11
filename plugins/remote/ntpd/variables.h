/* SPDX-License-Identifier: MIT */
/* Variables in the text of an answer: name=value, or name="value", with commas between them
 * (RFC 9327, 4).  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define VARIABLES_NAME_SIZE 32
#define VARIABLES_VALUE_SIZE 128

struct variable {
	char name[VARIABLES_NAME_SIZE];   /* Longer ones are passed over. */
	char value[VARIABLES_VALUE_SIZE]; /* Without quotes; cut. */
};

/* Takes the next one at '*at', which is moved past it; false at the end. */
bool variables_next(const char **at, struct variable *);

/* A number of milliseconds as seconds, or one as it is; NaN of another text. */
double variables_seconds(const char *value);
double variables_number(const char *value);

/* The last bit of a register that is a number in any base. */
bool variables_is_odd(const char *value);
