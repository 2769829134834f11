/* SPDX-License-Identifier: MIT */
/* The words that --describe, manual and example file share. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

/* The options in an option that is a block; NULL for other options. */
const struct mc_option *describe_words_inner(const struct mc_option *);

/* Whether the options in a block are those of one that stands before it in
 * 'all': they are shown once. */
bool describe_words_repeats(const struct mc_option *all, const struct mc_option *block);

/* All of these write to 'out' and return it. */

/* A placeholder for the option's value: "true|false", "SECONDS". */
const char *describe_words_value(const struct mc_option *, char *out, size_t size);

/* The arguments of an option that is a block: " TEXT [NUMBER]", or "" if it has none. */
const char *describe_words_arguments(const struct mc_option *block, char *out, size_t size);

/* The help, and in further sentences what is accepted, the default, and
 * whether it is required; of a block that repeats, that it does. */
const char *describe_words_sentences(const struct mc_option *all, const struct mc_option *,
				     char *out, size_t size);

/* "read, write: DERIVE, 0 or more": the sources of a type, those that follow
 * each other and are alike together, "; " between. */
const char *describe_words_sources(const struct mc_type *, char *out, size_t size);

/* Takes the next part of '*text' that fits in 'width' columns, cut at a blank;
 * returns its size, 0 at the end. */
size_t describe_words_line(const char **text, size_t width, const char **line);
