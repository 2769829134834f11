/* SPDX-License-Identifier: MIT */
/* Fields of a template: for its own files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mc_path_field { /* "%{NAME/CHARS/C}" */
	const char *name, *chars;
	size_t name_size, chars_size; /* No CHARS: 0. */
	char becomes;
};

/* Names of the fields that are parts of the name of a series, in its order. */
extern const char *const mc_path_part_names[];

/* Takes the field at '*text'; false: it is not sound. */
bool mc_path_field_parse(const char **text, struct mc_path_field *);
bool mc_path_field_is(const struct mc_path_field *, const char *name);
