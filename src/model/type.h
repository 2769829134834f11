/* SPDX-License-Identifier: MIT */
/* The types that samples can have, by name.
 *
 * A set is filled by one thread at start and only read afterwards, from any thread and without a
 * lock.  The row of a type is struct mc_type of the plugin API.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/problem.h"

#define TYPE_NAME_SIZE 128  /* With '\0': a part of a collectd identifier. */
#define TYPE_SOURCE_SIZE 20 /* With '\0': a data source of an RRD file. */

struct type_set;

struct type_origin { /* Where a row comes from. */
	struct place place;
	bool own;     /* It is, or refines, a row from before the seal. */
	bool foreign; /* It was added after the seal. */
};

struct type_set *type_set_new(void);
void type_set_free(struct type_set *);

/* Copies a row into the set; it replaces one of the same name, which can no
 * longer be found but stays readable.  The rules for replacing are those of
 * types_db.h.  'place' says where the row was read. */
void type_set_add(struct type_set *, const struct mc_type *, struct place);

/* From here on, what is in the set counts as the collector's own types. */
void type_set_seal(struct type_set *);

/* The row of that name, or NULL; lives as long as the set.  One hash probe. */
const struct mc_type *type_set_find(const struct type_set *, const char *name, size_t name_size);

/* Where that row comes from; its name must be in the set. */
struct type_origin type_set_origin(const struct type_set *, const struct mc_type *);

size_t type_set_len(const struct type_set *);

/* Shows every row, in the order in which the names were first added. */
void type_set_each(const struct type_set *, void (*visit)(void *argument, const struct mc_type *),
		   void *argument);

/* "GAUGE", as in types.db. */
const char *type_kind_name(enum mc_kind);

/* Whether both rows have the same sources: names, kinds and their number.  RRD
 * files and plugins depend on these. */
bool type_same_sources(const struct mc_type *, const struct mc_type *);
