/* SPDX-License-Identifier: MIT */
/* The target "replace": what an expression matches first in a part of the name
 * is replaced by a text. */
#include "target_kinds.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include <stdlib.h>
#include <string.h>

#include "expressions.h"

#define PARTS 4

struct replace {
	struct expressions parts[PARTS]; /* One for each pair of texts. */
};

static const struct mc_strings *texts_of(const struct target_block *block, unsigned part)
{
	const struct mc_strings *const texts[PARTS] = {
		&block->host,
		&block->plugin,
		&block->plugin_instance,
		&block->type_instance,
	};

	return texts[part];
}

static void check_texts(struct mc_ctx *ctx, const struct mc_strings *texts)
{
	if (texts->len % 2 != 0)
		mc_check_error(ctx, texts,
			       "takes two texts: an expression, and what "
			       "replaces its first match");
	expressions_check(ctx, texts, 2);
}

static void check(struct mc_ctx *ctx, const struct target_block *block)
{
	size_t len = 0;

	for (unsigned part = 0; part < PARTS; part++) {
		check_texts(ctx, texts_of(block, part));
		len += texts_of(block, part)->len;
	}
	if (len + block->meta_data.len + block->deleted_meta_data.len == 0)
		mc_check_error(ctx, &block->kind,
			       "replaces nothing: give Host, Plugin, "
			       "PluginInstance or TypeInstance");
}

static void close_replace(void *state)
{
	struct replace *replace = state;

	if (replace != NULL)
		expressions_close(replace->parts, PARTS);
	free(replace);
}

static void *open_replace(const struct target_block *block)
{
	struct replace *replace = mc_alloc_zero(sizeof(*replace));

	for (unsigned part = 0; part < PARTS; part++) {
		if (expressions_open(&replace->parts[part], texts_of(block, part), 2))
			continue;
		close_replace(replace);
		return NULL;
	}
	return replace;
}

/* Replaces the first match in 'text', which has room for NAME_PART_SIZE bytes. */
static void replace_one(struct mc_regex *regex, const char *by, char *text)
{
	char old[NAME_PART_SIZE];
	size_t start, size;

	if (mc_regex_match(regex, text, strlen(text)) != 1 ||
	    !mc_regex_group(regex, 0, &start, &size))
		return;
	memcpy(old, text, sizeof(old));
	snprintf(text, NAME_PART_SIZE, "%.*s%s%s", (int)start, old, by, old + start + size);
}

/* The new form of a part, in 'out'; host and plugin stay if nothing is left of them. */
static void replace_part(const struct target *target, unsigned part, const char **value, char *out)
{
	const struct mc_strings *texts = texts_of(target->block, part);
	const struct replace *replace = target->state;

	snprintf(out, NAME_PART_SIZE, "%s", *value);
	for (size_t i = 0; i < replace->parts[part].len; i++)
		replace_one(replace->parts[part].items[i], texts->items[2 * i + 1], out);
	if (out[0] != '\0' || part >= 2)
		*value = out;
}

static enum target_result apply(const struct target *target, struct subject *subject)
{
	struct name *next = name_find(subject->name, target);
	struct mc_id id = subject->name->id;
	const char **values[PARTS] = { &id.host, &id.plugin, &id.plugin_instance,
				       &id.type_instance };
	char parts[PARTS][NAME_PART_SIZE];

	if (next == NULL) {
		pthread_mutex_lock(&subject->shared->lock);
		for (unsigned part = 0; part < PARTS; part++)
			replace_part(target, part, values[part], parts[part]);
		pthread_mutex_unlock(&subject->shared->lock);
		next = name_derive(subject->name, target, &id, subject->shared->verdicts_len);
	}
	if (next == NULL)
		return TARGET_FAILED;
	subject->name = next;
	return TARGET_CONTINUE;
}

const struct target_kind target_replace = {
	.options = (const char *const[]){ "Host", "Plugin", "PluginInstance", "TypeInstance",
					  "MetaData", "DeleteMetaData", NULL },
	.changes = true,
	.check = check,
	.open = open_replace,
	.close = close_replace,
	.apply = apply,
};
