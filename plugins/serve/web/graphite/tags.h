/* SPDX-License-Identifier: MIT */
/* Series by their tags: "name", the labels that their sender gave them, and the parts of their
 * names: host, plugin, plugin_instance, type, type_instance, and ds_name of one of several
 * sources. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

#define TAGS_MATCHERS 16
#define TAGS_WHY 256

struct tags_query { /* All zero: all series. */
	struct tags_matcher {
		char *tag, *value;
		bool negated;
		struct mc_regex *regex; /* NULL: the value itself. */
	} matchers[TAGS_MATCHERS];
	unsigned len;
};

/* Adds "TAG=VALUE", "TAG!=VALUE", "TAG=~REGEX" or "TAG!=~REGEX"; false, and the reason, if it is
 * invalid.  tags_query_done() is to be called also then. */
bool tags_query_add(struct tags_query *, const char *text, char why[TAGS_WHY]);
void tags_query_done(struct tags_query *);

/* The text of a call, "seriesByTag('name=a','host=~b')", has them as its arguments. */
struct expression;
bool tags_query_call(struct tags_query *, const struct expression *, char why[TAGS_WHY]);

struct tags_one {
	const char *path;   /* "NAME;TAG=VALUE;...", sorted. */
	const char *tags;   /* "TAG=VALUE" after "TAG=VALUE", each with '\0', then "". */
	const char *series; /* Its name. */
	unsigned source;
};

/* Calls visit() for each that matches, until it returns false. */
void tags_each(struct mc_ctx *, const struct tags_query *,
	       bool (*visit)(void *argument, const struct tags_one *), void *argument);

/* The value of a tag; NULL without one. */
const char *tags_value(const char *tags, const char *tag);
