/* SPDX-License-Identifier: MIT */
/* Kinds of values are those of collectd's parser: a value in quotes is always a text. */
#include "conf/config.h"

#include <string.h>

static const char *copy_text(struct arena *arena, const char *text)
{
	return arena_copy(arena, text, strlen(text));
}

static enum mc_config_kind kind_of(const struct conf_value *value)
{
	if (value->quoted)
		return MC_CONFIG_TEXT;
	if (value->is_number)
		return MC_CONFIG_NUMBER;
	return value->is_boolean ? MC_CONFIG_BOOLEAN : MC_CONFIG_TEXT;
}

/* No deeper than CONF_DEPTH_MAX. */
void config_copy(const struct conf_node *node, struct arena *arena, struct mc_config *copy)
{
	struct mc_config_value *values = arena_zero(arena, node->values_len * sizeof(*values));
	struct mc_config *children = arena_zero(arena, node->children_len * sizeof(*children));

	for (size_t i = 0; i < node->values_len; i++) {
		const struct conf_value *value = &node->values[i];

		values[i] = (struct mc_config_value){
			.kind = kind_of(value),
			.text = copy_text(arena, value->text),
			.number = value->number,
			.boolean = value->boolean,
		};
	}
	for (size_t i = 0; i < node->children_len; i++)
		config_copy(node->children[i], arena, &children[i]);
	*copy = (struct mc_config){
		.key = copy_text(arena, node->name),
		.values = values,
		.values_len = node->values_len,
		.children = children,
		.children_len = node->children_len,
	};
}
