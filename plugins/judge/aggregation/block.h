/* SPDX-License-Identifier: MIT */
/* An <Aggregation> block: which series it takes, and how it names what it makes of them.  Facts:
 * collectd.conf(5), "Plugin aggregation", and what collectd 5.12 does. */
#pragma once

#include <collector/metadata.h>
#include <collector/plugin.h>
#include <collector/writer.h>

enum block_field {
	BLOCK_HOST,
	BLOCK_PLUGIN,
	BLOCK_PLUGIN_INSTANCE,
	BLOCK_TYPE_INSTANCE,
};
#define BLOCK_FIELDS 4

enum block_function {
	BLOCK_NUM,
	BLOCK_SUM,
	BLOCK_AVERAGE,
	BLOCK_MIN,
	BLOCK_MAX,
	BLOCK_STDDEV,
};
#define BLOCK_FUNCTIONS 6

struct block {
	/* As in the file; NULL: not given. */
	struct mc_strings series; /* Globs of names; without any all match. */
	const char *type;
	const char *wanted[BLOCK_FIELDS];
	const char *set[BLOCK_FIELDS];
	const char *set_type;
	struct mc_strings group_by;
	bool calculate[BLOCK_FUNCTIONS];
	const char *label, *unit;
	struct mc_strings attributes; /* Names and values in turn. */

	/* Of block_start(). */
	bool used;
	const struct mc_type *made; /* NULL: that of the members. */
	struct mc_metadata metadata;
	unsigned grouped;                       /* Bits of enum block_field. */
	struct mc_regex *regexes[BLOCK_FIELDS]; /* NULL: none. */
};

/* Finds mistakes in a block, with the option of each. */
struct block_fault {
	const void *option;
	char text[256];
};

/* True, and what is wrong with it: it is left out.  Thread: any. */
bool block_fault(const struct block *, struct block_fault *);

/* Gets ready to take series, unless something is wrong with it.  'made' is the type of SetType,
 * NULL if it does not exist. */
void block_start(struct block *, const struct mc_type *made);
void block_stop(struct block *);

/* Whether series of this kind belong to the block.  Thread: one at a time. */
bool block_takes(const struct block *, const struct mc_series *);

/* The type of what a series is aggregated to. */
const struct mc_type *block_type(const struct block *, const struct mc_series *);

/* Description of the aggregates; NULL without one. */
const struct mc_metadata *block_metadata(const struct block *);

/* The name of what a series is aggregated to.  All are to be freed. */
struct block_name {
	char *host, *plugin, *plugin_instance, *type_instance;
};
void block_name(const struct block *, const struct mc_series *, struct block_name *);
void block_name_free(struct block_name *);

/* The plugin instance for a function, which "%{aggregation}" stands for; to be freed. */
char *block_instance(const struct block_name *, enum block_function);
