/* SPDX-License-Identifier: MIT */
/* Finds the rule of a source of a series, and the names that follow from it.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/graphs/graph_rules.h"

struct graph_subject { /* A source of a series; no text is NULL. */
	const char *host, *plugin, *plugin_instance, *type, *type_instance;
	const char *unit;
	/* The patterns of Line and the like are about the source if the type has several, else
	 * about the type instance, or the type: without one, and where each has its own graph. */
	const char *field;
	unsigned field_part;                /* enum mc_part; 0: the source. */
	const struct mc_metadata *metadata; /* May be NULL. */
};

/* Fills 'field' and 'field_part' of a subject whose other parts are there. */
void graph_match_field(struct graph_subject *, const struct mc_type *, unsigned source);

struct graph_place { /* How the rule draws it. */
	enum mc_draw draw;
	bool below, heads;
	unsigned rank; /* In the order of the patterns. */
};

/* The first rule that draws it, or NULL. */
const struct graph_rule *graph_match(const struct graph_rules *, const struct graph_subject *,
				     struct graph_place *);

#define GRAPH_TEXT_SIZE                                                                            \
	MC_SOURCE_TEXT_SIZE /* Longer texts are cut, at the start of a character.                  \
			     */

/* Those of 'parts', with '/' between them, as histories call what they combine. */
void graph_match_group(const struct graph_subject *, unsigned parts,
		       char out[static GRAPH_TEXT_SIZE]);

/* "df", "perfdata/http/ms": the name of the graph on its host. */
void graph_match_id(const struct graph_rule *, const struct graph_subject *,
		    char out[static GRAPH_TEXT_SIZE]);

/* "eth0", of the line "eth0 in"; "" if lines have no instances. */
void graph_match_instance(const struct graph_rule *, const struct graph_subject *,
			  char out[static GRAPH_TEXT_SIZE]);

/* "in", of the line "eth0 in". */
const char *graph_match_label(const struct graph_rule *, const struct graph_subject *);

/* The factor of its values. */
double graph_match_scale(const struct graph_rule *, const struct graph_subject *);

/* The text of a title or family, with what its placeholders stand for. */
void graph_match_fill(const char *text, const struct graph_subject *,
		      char out[static GRAPH_TEXT_SIZE]);
