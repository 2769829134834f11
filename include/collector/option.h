/* SPDX-License-Identifier: MIT */
/* collector/option.h - the options of a plugin, as a table: files are read by
 * it, and manuals, the example file and messages are made of it.
 *
 * <collector/plugin.h> includes this: include that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

enum mc_option_type {
	MC_BOOL,    /* bool */
	MC_INT,     /* int64_t, between min and max */
	MC_NUMBER,  /* double, between min and max */
	MC_TIME,    /* mc_time; in the file seconds, fractions allowed,
		     * or with a unit: "90s", "1.5m", "8h", "2d" */
	MC_STRING,  /* const char *; NULL when not given and without default */
	MC_WORD,    /* int: the index of the value in words[] */
	MC_STRINGS, /* struct mc_strings: every value of every occurrence */
	MC_INTS,    /* struct mc_ints: a list of numbers */
	MC_SELECT,  /* struct mc_select *: names and /regexes/, mc_selected() */
	MC_BLOCKS,  /* struct mc_blocks: nested blocks, see 'block' */
	MC_CONFIGS, /* struct mc_configs: blocks as they stand, with their content, for another
		       parser; options with one field have their items in the order of the file */
};

struct mc_strings {
	const char *const *items;
	size_t len;
};

struct mc_ints {
	const int64_t *items;
	size_t len;
};

struct mc_blocks { /* An array of len structs of block->size bytes each. */
	void *items;
	size_t len;
};

struct mc_config_value { /* Anything in quotes is a text. */
	enum mc_config_kind {
		MC_CONFIG_TEXT,
		MC_CONFIG_NUMBER,
		MC_CONFIG_BOOLEAN,
	} kind;
	const char *text; /* As it stands, in any case. */
	double number;
	bool boolean;
};

struct mc_config { /* collectd's config item: an option, or a block. */
	const char *key;
	const struct mc_config_value *values; /* Or arguments. */
	size_t values_len;
	const struct mc_config *children; /* In the block. */
	size_t children_len;
};

struct mc_configs {
	const struct mc_config *items;
	size_t len;
};

struct mc_block {
	size_t size;
	/* The option with the name "" is the block's own argument. */
	const struct mc_option *options;
};

struct mc_option {
	const char *name; /* As in the file; compared without case. */
	enum mc_option_type type;
	size_t offset;                /* Offset of the field in self, or in the block. */
	const char *default_value;    /* Written as in the file, or NULL.  "nan"
				       * of an MC_NUMBER: NaN, which no file can
				       * say, if it is not given. */
	const char *help;             /* One sentence: manual, example file. */
	double min, max;              /* Numbers; both 0: no bound. */
	const char *const *words;     /* MC_WORD; ends with NULL. */
	const struct mc_block *block; /* MC_BLOCKS. */
	bool required;
	bool secret;        /* No message shows its value. */
	const char *sample; /* For the example file; NULL: the default. */
	bool lenient;       /* A wrong value is a warning, not an error. */
	bool no_effect;     /* Accepted, with a warning: why is in the help. */
	bool is_line;       /* MC_CONFIGS: a line with one value, not a block. */
	const char *alias;  /* An older name, which is accepted too; or NULL. */
};

/* Type and offset of a field; will not compile for a field of another type. */
#define MC_OPTION(type, self, field, ctype)                                                        \
	type, offsetof(self, field) + 0 * sizeof((ctype *)0 == &((self *)0)->field)
#define MC_OPT_BOOL(self, field) MC_OPTION(MC_BOOL, self, field, bool)
#define MC_OPT_INT(self, field) MC_OPTION(MC_INT, self, field, int64_t)
#define MC_OPT_NUMBER(self, field) MC_OPTION(MC_NUMBER, self, field, double)
#define MC_OPT_TIME(self, field) MC_OPTION(MC_TIME, self, field, mc_time)
#define MC_OPT_STRING(self, field) MC_OPTION(MC_STRING, self, field, const char *)
#define MC_OPT_WORD(self, field) MC_OPTION(MC_WORD, self, field, int)
#define MC_OPT_STRINGS(self, field) MC_OPTION(MC_STRINGS, self, field, struct mc_strings)
#define MC_OPT_INTS(self, field) MC_OPTION(MC_INTS, self, field, struct mc_ints)
#define MC_OPT_SELECT(self, field) MC_OPTION(MC_SELECT, self, field, struct mc_select *)
#define MC_OPT_BLOCKS(self, field) MC_OPTION(MC_BLOCKS, self, field, struct mc_blocks)
#define MC_OPT_CONFIGS(self, field) MC_OPTION(MC_CONFIGS, self, field, struct mc_configs)

/* Whether collectd's ignore list 'select' lets 'name' through; 'ignore' is the plugin's
 * IgnoreSelected.  An empty list lets everything through.  Thread: any. */
struct mc_select;
bool mc_selected(const struct mc_select *select, bool ignore, const char *name);

#pragma GCC visibility pop
