/* SPDX-License-Identifier: MIT */
/* Finds the rules of a series: by collectd's twelve keys, from that with the most names to that
 * with the fewest, and if none of these has rules, all <Match> blocks whose patterns match.
 *
 * Of patterns each column of the name is matched for itself; what host, plugin and type have come
 * to is remembered, because series of one host and plugin come one after the other.  Thread: one
 * at a time. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "verdict.h"

struct column; /* The patterns for one part of a name. */

struct finder {              /* All zero at first. */
	struct mc_map keys;  /* Of struct key. */
	struct mc_map lists; /* Of lists of rules of patterns, each kept once. */
	unsigned kinds;      /* Of the twelve keys, those that rules have. */
	struct rule **patterns;
	size_t patterns_len;
	struct column *columns;
};

/* Adds a rule with names, or one with patterns, which lives as long as the finder. */
void finder_add(struct finder *, struct rule *);
void finder_add_pattern(struct finder *, struct rule *);

/* When all are added. 0, or the result of mc_fail() for an invalid expression. */
int finder_start(struct finder *, struct mc_ctx *);
void finder_stop(struct finder *);

/* NULL: it has none. */
const struct rules *finder_find(struct finder *, const struct mc_id *);

/* NULL, or why the pattern is invalid. */
const char *finder_fault(const char *pattern, char *reason, size_t size);
