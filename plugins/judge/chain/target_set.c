/* SPDX-License-Identifier: MIT */
/* The target "set": parts of the name are replaced. */
#include "target_kinds.h"

#include <collector/check.h>

#include "placeholder.h"

static void check_part(struct mc_ctx *ctx, const struct mc_strings *texts, bool may_be_empty)
{
	if (texts->len > 1)
		mc_check_error(ctx, texts, "takes one text");
	else if (texts->len == 1 && texts->items[0][0] == '\0' && !may_be_empty)
		mc_check_error(ctx, texts, "must not be empty");
}

static void check(struct mc_ctx *ctx, const struct target_block *block)
{
	bool meta = block->meta_data.len + block->deleted_meta_data.len > 0;

	check_part(ctx, &block->host, false);
	check_part(ctx, &block->plugin, false);
	check_part(ctx, &block->plugin_instance, true);
	check_part(ctx, &block->type_instance, true);
	if (!meta && block->host.len + block->plugin.len + block->plugin_instance.len +
				     block->type_instance.len ==
			     0)
		mc_check_error(ctx, &block->kind,
			       "sets nothing: give Host, Plugin, "
			       "PluginInstance or TypeInstance");
}

static void fill(const struct mc_strings *texts, const struct mc_id *id, char *out,
		 const char **part)
{
	if (texts->len == 0)
		return;
	placeholder_fill(texts->items[0], placeholder_part, id, out, NAME_PART_SIZE);
	*part = out;
}

static enum target_result apply(const struct target *target, struct subject *subject)
{
	const struct target_block *block = target->block;
	struct name *next = name_find(subject->name, target);
	const struct mc_id *id = &subject->name->id;
	char parts[4][NAME_PART_SIZE];
	struct mc_id new = *id;

	if (next == NULL) {
		fill(&block->host, id, parts[0], &new.host);
		fill(&block->plugin, id, parts[1], &new.plugin);
		fill(&block->plugin_instance, id, parts[2], &new.plugin_instance);
		fill(&block->type_instance, id, parts[3], &new.type_instance);
		next = name_derive(subject->name, target, &new, subject->shared->verdicts_len);
	}
	if (next == NULL)
		return TARGET_FAILED;
	subject->name = next;
	return TARGET_CONTINUE;
}

const struct target_kind target_set = {
	.options = (const char *const[]){ "Host", "Plugin", "PluginInstance", "TypeInstance",
					  "MetaData", "DeleteMetaData", NULL },
	.changes = true,
	.check = check,
	.apply = apply,
};
