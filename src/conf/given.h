/* SPDX-License-Identifier: MIT */
/* Where in the file the fields of a filled struct come from, so that later errors can be reported
 * with their position. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "conf/option.h"
#include "conf/parse.h"

struct given { /* Strings are the tree's: it must still be there. */
	const struct mc_option *option;
	const char *block;  /* Name of the block it is in; NULL: none. */
	const char *value;  /* NULL: the file does not say. */
	struct place place; /* Position of the value, or of the block that it belongs into; all 0:
			       the file has neither. */
};

/* For option_fill(): that 'self' is filled by a table, from 'block' if it is a
 * nested one, which stands at 'place'. */
void given_add_block(struct conf_keep *, const void *self, const struct mc_option *options,
		     const struct conf_node *block, struct place place);

/* For option_fill(): that 'field' has this value. */
void given_add_value(struct conf_keep *, const void *field, const struct mc_option *option,
		     const struct conf_node *block, const struct conf_value *);

/* Finds the position and text of a field of a struct that was filled with this keep: a field, or
 * an item of a list.  False, and 'given' is untouched, for any other address. */
bool given_find(const struct conf_keep *, const void *field, struct given *given);

/* The option's name as the author of the file knows it, written to 'out', which
 * is returned: "Port", or "<Server>" for the argument of a block. */
const char *given_title(const struct given *, char *out, size_t size);
