/* SPDX-License-Identifier: MIT */
/* The table of Graphite's functions, by which arguments are checked and editors offer them.  Pure.
 *
 * A row is all there is to know about a function; its file has those of one group. */
#pragma once

#include "evaluation.h"

#define FUNCTIONS_PARAMETERS 8 /* At most, of one function. */

struct functions_row {
	/* "NAME PARAMETER:TYPE ...", where "!" after a type means required, "*" any number of
	 * them, and "=VALUE" is the default.  Names and types are Graphite's. */
	const char *signature;
	const char *help; /* One sentence. */
	struct curve *(*make)(struct call *);
	const char *detail; /* Where rows share a function; or NULL. */
};

/* Each ends with a row of zeros. */
extern const struct functions_row functions_combine[];
extern const struct functions_row functions_transform[];
extern const struct functions_row functions_calculate[];
extern const struct functions_row functions_filter_data[];
extern const struct functions_row functions_filter_series[];
extern const struct functions_row functions_sorting[];
extern const struct functions_row functions_alias[];
extern const struct functions_row functions_graph[];
extern const struct functions_row functions_special[];

/* The groups, in the order of an editor, after NULL the first; NULL after the last one. */
struct functions_group {
	const char *name;
	const struct functions_row *rows;
};
const struct functions_group *functions_next(const struct functions_group *);

/* NULL if there is no function of that name. */
const struct functions_row *functions_find(const char *name);

/* The name is the first word of a signature. */
size_t functions_name_size(const char *signature);

enum functions_type {
	FUNCTIONS_SERIES_LIST,
	FUNCTIONS_SERIES_LISTS,
	FUNCTIONS_ANY, /* A series list or a number. */
	FUNCTIONS_INTEGER,
	FUNCTIONS_FLOAT,
	FUNCTIONS_INTEGER_OR_INFINITY,
	FUNCTIONS_BOOLEAN,
	FUNCTIONS_STRING,
	FUNCTIONS_DATE,
	FUNCTIONS_TAG,
	FUNCTIONS_INTERVAL,
	FUNCTIONS_INTEGER_OR_INTERVAL,
	FUNCTIONS_NODE,
	FUNCTIONS_NODE_OR_TAG,
	FUNCTIONS_AGGREGATE,
	FUNCTIONS_AGGREGATE_OR_FUNCTION,
};

struct functions_parameter {
	char name[32];
	enum functions_type type;
	const char *type_name; /* As Graphite has it. */
	bool required, multiple;
	char otherwise[32]; /* The default; "": none. */
};

/* Reads the parameters of a signature; returns how many there are. */
unsigned functions_parameters(const char *signature,
			      struct functions_parameter parameters[FUNCTIONS_PARAMETERS]);
