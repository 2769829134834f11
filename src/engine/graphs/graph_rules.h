/* SPDX-License-Identifier: MIT */
/* Rules by which series are put together in graphs: <Graph> blocks of the configuration language,
 * in files beside the plugins and in the configuration of a site. */
#pragma once

#include <collector/graphs.h>
#include <collector/plugin.h>

#include "base/problem.h"
#include "conf/option.h"
#include "conf/parse.h"
#include "engine/graphs/graph_index.h"
#include "engine/graphs/graph_pattern.h"

enum graph_field { /* Subjects of the patterns of a rule. */
		   GRAPH_FIELD_PLUGIN,
		   GRAPH_FIELD_PLUGIN_INSTANCE,
		   GRAPH_FIELD_TYPE,
		   GRAPH_FIELD_TYPE_INSTANCE,
		   /* Those below are about a source: see graph_match.h. */
		   GRAPH_FIELD_LINE,
		   GRAPH_FIELD_REST,
		   GRAPH_FIELD_ABOVE,
		   GRAPH_FIELD_BELOW,
		   GRAPH_FIELD_LIMIT,
		   GRAPH_FIELD_HIDE,
		   GRAPH_FIELD_NOW,
		   GRAPH_FIELDS,
};

enum graph_names { /* How instances are written. */
		   GRAPH_NAMES_PLAIN,
		   GRAPH_NAMES_MOUNT,  /* "root" is "/", "var-log" is "/var/log". */
		   GRAPH_NAMES_LABELS, /* By labels of metrics: graph_labels.h. */
};

struct graph_scale { /* Of a source that has its own. */
	const char *field;
	double scale;
};

struct graph_rule {
	const char *name, *family, *title, *unit;
	const char *info; /* NULL: that of the type. */
	double order, scale, top, limit;
	int draw;    /* Of those of Line: MC_DRAW_LINE, MC_DRAW_AREA, MC_DRAW_STACK. */
	int combine; /* enum mc_combine */
	int names;   /* enum graph_names */
	int64_t most;
	bool share;
	const char *attribute; /* Metadata has this attribute; NULL: need not. */
	struct mc_strings given[GRAPH_FIELDS], per_given, by_given, labels, scales_given;

	/* Made of what is given. */
	struct graph_patterns patterns[GRAPH_FIELDS];
	unsigned per, by; /* enum mc_part */
	const struct graph_scale *scales;
	size_t scales_len;
};

struct graph_rules {
	struct conf_keep keep; /* Owns the rules. */
	struct graph_rule *items;
	size_t len, room;
	struct graph_index index; /* Of the items. */
};

/* The options of a <Graph> block, for manuals. */
extern const struct mc_option graph_rules_options[];

struct graph_rules *graph_rules_new(void);
void graph_rules_free(struct graph_rules *); /* NULL is fine. */

/* Adds the <Graph> blocks of that tree after those that are there, except those whose names are
 * taken.  A mistake is a problem with its place; that rule is left out. */
void graph_rules_add(struct graph_rules *, const struct conf_node *root, struct problems *);

/* The same from text, such as a file beside a plugin, which is called 'file' in problems. */
void graph_rules_add_text(struct graph_rules *, const char *text, size_t size, const char *file,
			  struct problems *);
