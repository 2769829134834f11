/* SPDX-License-Identifier: MIT */
/* The match "regex": all expressions match the parts that they are for. */
#include "match_kinds.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/regex.h>

#include <string.h>

#define PARTS 5

struct regex {
	struct {
		struct mc_regex **items;
		size_t len;
	} parts[PARTS];
};

static const struct mc_strings *texts_of(const struct match_block *block,
					 unsigned part)
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
		id->host, id->plugin,        id->plugin_instance,
		id->type, id->type_instance,
	};

	return values[part];
}

static size_t check_texts(struct mc_ctx *ctx, const struct mc_strings *texts)
{
	for (size_t i = 0; i < texts->len; i++) {
		char reason[200];
		struct mc_regex *regex =
			mc_regex_new(texts->items[i], reason, sizeof(reason));

		if (regex == NULL)
			mc_check_error(ctx, &texts->items[i],
				       "is no regular expression: %s", reason);
		mc_regex_free(regex);
	}
	return texts->len;
}

static void check(struct mc_ctx *ctx, const struct match_block *block)
{
	size_t len = block->meta_data.len;

	for (unsigned part = 0; part < PARTS; part++)
		len += check_texts(ctx, texts_of(block, part));
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

	if (regex == NULL)
		return;
	for (unsigned part = 0; part < PARTS; part++) {
		for (size_t i = 0; i < regex->parts[part].len; i++)
			mc_regex_free(regex->parts[part].items[i]);
		free(regex->parts[part].items);
	}
	free(regex);
}

static bool open_part(struct regex *regex, unsigned part,
		      const struct mc_strings *texts)
{
	char reason[200];

	regex->parts[part].items =
		mc_alloc_array(texts->len, sizeof(struct mc_regex *));
	for (size_t i = 0; i < texts->len; i++) {
		struct mc_regex *one =
			mc_regex_new(texts->items[i], reason, sizeof(reason));

		if (one == NULL)
			return false;
		regex->parts[part].items[regex->parts[part].len++] = one;
	}
	return true;
}

static void *open_regex(const struct match_block *block)
{
	struct regex *regex = mc_alloc_zero(sizeof(*regex));

	for (unsigned part = 0; part < PARTS; part++) {
		if (open_part(regex, part, texts_of(block, part)))
			continue;
		close_regex(regex);
		return NULL;
	}
	return regex;
}

static bool match_part(const struct regex *regex, unsigned part,
		       const char *value)
{
	for (size_t i = 0; i < regex->parts[part].len; i++)
		if (mc_regex_match(regex->parts[part].items[i], value,
				   strlen(value)) != 1)
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
		all = match_part(regex, part,
				 value_of(&subject->name->id, part));
	pthread_mutex_unlock(&subject->shared->lock);
	return all != block->invert ? MATCH_YES : MATCH_NO;
}

const struct match_kind match_regex = {
	.options = (const char *const[]){ "Host", "Plugin", "PluginInstance",
					  "Type", "TypeInstance", "MetaData",
					  "Invert", NULL },
	.by_name = true,
	.check = check,
	.open = open_regex,
	.close = close_regex,
	.look = look,
};
