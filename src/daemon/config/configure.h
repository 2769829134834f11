/* SPDX-License-Identifier: MIT */
/* Which plugins a configuration asks for, and with what: LoadPlugin, <Plugin>
 * and the blocks that the collector does not have. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "conf/parse.h"

/* Statements at the top of a file that are options of plugins, each as
 * STATEMENT(NAME, PLUGIN), a macro of whoever uses this. */
#define CONFIGURE_STATEMENTS MC_STATEMENTS

struct wanted {                 /* An instance of a plugin that the file asks for. */
	const char *name;       /* Of the instance: "df", "csv.backup". */
	const char *plugin;     /* "csv": the part before the first dot. */
	struct place place;     /* Where it was first mentioned. */
	bool load;              /* There is a LoadPlugin, or AutoLoadPlugin. */
	bool stated;            /* A statement at the top of the file is for it. */
	mc_time interval;       /* 0: the global one. */
	mc_time flush_interval; /* 0: never. */
	mc_time flush_timeout;  /* Age of what is flushed then. */
	bool globals;           /* Without meaning; see configure.c. */
	bool recorded;          /* It is read a second time: see recorded.h. */

	/* Its <Plugin> blocks, which count as one. */
	const struct conf_node **blocks;
	size_t blocks_len;
};

struct configure {
	struct arena arena;   /* Of names. */
	struct wanted *items; /* In order of first mention. */
	size_t len;
};

/* Reads the statements at the top of a file.  Items point into the tree.  Freed
 * with configure_done(). */
void configure_read(struct configure *, const struct conf_node *root, bool auto_load,
		    struct problems *);
void configure_done(struct configure *);

/* One more item, as that one is, with a name of its own; NULL if there is one of that name.  All
 * earlier pointers to items are void then. */
struct wanted *configure_add_copy(struct configure *, size_t index, const char *name);

/* One more <Plugin> block of it, which has to live as long as the item. */
void configure_add_block(struct wanted *, const struct conf_node *block);

/* A copy that outlives the tree, freed with configure_forget(); NULL is fine there. */
struct wanted *configure_remember(const struct wanted *);
void configure_forget(struct wanted *);

/* The table of <LoadPlugin> blocks, for manuals. */
extern const struct mc_option configure_options[];
