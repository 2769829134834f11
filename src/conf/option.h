/* SPDX-License-Identifier: MIT */
/* From the tree to a struct: blocks are read by the typed option tables of <collector/plugin.h>. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/arena.h"
#include "base/problem.h"
#include "conf/parse.h"

struct given_block;
struct given_value;

struct conf_keep { /* Owns all that a filled struct points to. */
	struct arena arena;
	struct mc_select *selects; /* A list. */

	/* Lists in the arena: see conf/given.h. */
	const struct given_block *given_blocks;
	const struct given_value *given_values;
};

struct option_source {                          /* Where the options come from. */
	const char *owner;                      /* Name for messages: "disk"; may be NULL. */
	bool lenient;                           /* An unknown option is a warning, not an error. */
	const struct conf_node *const *parents; /* Blocks; their children are
						 * taken as if they stood in
						 * one. */
	size_t parents_len;                     /* 0: presets only. */
	const char *const
		*skip; /* Children for another parser, without case, ends with NULL; or NULL. */
};

void option_init(struct conf_keep *);

/* Frees all that was filled with this keep.  It may be used again. */
void option_release(struct conf_keep *);

/* Fills 'self', which is zeroed, from presets and from the source.  A mistake is a problem with
 * its position; the field then has its preset.  Returns whether there was no error. */
bool option_fill(const struct mc_option *, const struct option_source *, void *self,
		 struct conf_keep *, struct problems *);

/* For messages: the candidate that 'word' is probably a misspelling of, or
 * NULL.  option_suggest_name() looks through a table. */
const char *option_suggest(const char *word, const char *const *candidates, size_t candidates_len);
const char *option_suggest_name(const char *word, const struct mc_option *);
