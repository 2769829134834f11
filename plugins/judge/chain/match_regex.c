/* SPDX-License-Identifier: MIT */
/* The match "regex": all expressions match the parts that they are for. */
#include "match_kinds.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include <stdlib.h>
#include <string.h>

#include "expressions.h"

#define PARTS 5

struct regex {
	struct expressions parts[PARTS];
};

static const struct mc_strings *texts_of(const struct match_block *block, unsigned part)
{
	const struct mc_strings *const texts[PARTS] = {
		&block->host, &block->plugin,        &block->plugin_instance,
		&block->type, &block->type_instance,
	};

	return texts[part];
}

static const char *value_of(const struct mc_id *id, unsigned part)
{
	const char *const values[PARTS] = {
		id->host, id->plugin, id->plugin_instance, id->type, id->type_instance,
	};

	return values[part];
}

static void check(struct mc_ctx *ctx, const struct match_block *block)
{
	size_t len = block->meta_data.len;

	for (unsigned part = 0; part < PARTS; part++) {
		expressions_check(ctx, texts_of(block, part), 1);
		len += texts_of(block, part)->len;
	}
	if (len == 0)
		mc_check_error(ctx, &block->kind,
			       "has no regular expression: give Host, Plugin, "
			       "PluginInstance, Type or TypeInstance");
	if (block->meta_data.len > 0)
		mc_check_warn(ctx, &block->meta_data,
			      "never matches: values have no meta data here");
}

static void close_regex(void *state)
{
	struct regex *regex = state;

	if (regex != NULL)
		expressions_close(regex->parts, PARTS);
	free(regex);
}

static void *open_regex(const struct match_block *block)
{
	struct regex *regex = mc_alloc_zero(sizeof(*regex));

	for (unsigned part = 0; part < PARTS; part++) {
		if (expressions_open(&regex->parts[part], texts_of(block, part), 1))
			continue;
		close_regex(regex);
		return NULL;
	}
	return regex;
}

static bool match_part(const struct regex *regex, unsigned part, const char *value)
{
	for (size_t i = 0; i < regex->parts[part].len; i++)
		if (mc_regex_match(regex->parts[part].items[i], value, strlen(value)) != 1)
			return false;
	return true;
}

static enum match_result look(const struct match_block *block, void *state,
			      const struct subject *subject)
{
	const struct regex *regex = state;
	bool all = block->meta_data.len == 0;

	pthread_mutex_lock(&subject->shared->lock);
	for (unsigned part = 0; part < PARTS && all; part++)
		all = match_part(regex, part, value_of(&subject->name->id, part));
	pthread_mutex_unlock(&subject->shared->lock);
	return all != block->invert ? MATCH_YES : MATCH_NO;
}

const struct match_kind match_regex = {
	.options = (const char *const[]){ "Host", "Plugin", "PluginInstance", "Type",
					  "TypeInstance", "MetaData", "Invert", NULL },
	.by_name = true,
	.check = check,
	.open = open_regex,
	.close = close_regex,
	.look = look,
};
