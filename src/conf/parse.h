/* SPDX-License-Identifier: MIT */
/* The configuration language: text in, a tree out.  It is collectd's, as
 * collectd.conf(5) describes it and collectd 5.12 reads it.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/problem.h"

#define CONF_DEPTH_MAX 32                /* Blocks inside blocks. */
#define CONF_SIZE_MAX ((size_t)16 << 20) /* Bytes of one file. */

struct conf_value {
	const char *text; /* The text with quotes and escapes resolved. */
	bool quoted;
	bool is_number, is_boolean; /* How it may be read, quoted or not. */
	bool boolean;
	double number; /* Finite. */
	struct place place;
};

struct conf_node {                 /* An option, or a block. */
	const char *name;          /* Letters, digits and '_'. */
	struct conf_value *values; /* Values of the option, or the block's arguments. */
	size_t values_len;
	struct conf_node **children; /* Children of a block, in order of the file. */
	size_t children_len;
	bool block;
	struct place place;
};

/* Reads 'size' bytes of text.  Every error is a problem with its place, and what is left of the
 * file is read all the same, so the tree holds what could be understood.  Returns a block without a
 * name whose children are the statements of the file; it, and all it points to ('file' too), lies
 * in the arena. */
struct conf_node *conf_parse(const char *text, size_t size, const char *file, struct problems *,
			     struct arena *);
