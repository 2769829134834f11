/* SPDX-License-Identifier: MIT */
/* A part of a configuration that outlives its tree. */
#include "conf/copy.h"

#include <string.h>

#include "conf/parse.h"

struct copying {
	struct arena *arena;
	const char *file, *file_copy; /* Most often the same one again. */
};

static const char *copy_text(const struct copying *copying, const char *text)
{
	return text != NULL ? arena_copy(copying->arena, text, strlen(text)) : NULL;
}

static void copy_file(struct copying *copying, struct place *place)
{
	if (place->file != copying->file) {
		copying->file = place->file;
		copying->file_copy = copy_text(copying, place->file);
	}
	place->file = copying->file_copy;
}

static struct conf_value *copy_values(struct copying *copying, const struct conf_node *node)
{
	struct conf_value *values = arena_zero(copying->arena, node->values_len * sizeof(*values));

	for (size_t i = 0; i < node->values_len; i++) {
		values[i] = node->values[i];
		values[i].text = copy_text(copying, node->values[i].text);
		copy_file(copying, &values[i].place);
	}
	return values;
}

/* No deeper than CONF_DEPTH_MAX. */
static struct conf_node *copy_node(struct copying *copying, const struct conf_node *node)
{
	struct conf_node *copy = arena_zero(copying->arena, sizeof(*copy));

	*copy = *node;
	copy->name = copy_text(copying, node->name);
	copy_file(copying, &copy->place);
	copy->values = copy_values(copying, node);
	copy->children = arena_zero(copying->arena, node->children_len * sizeof(*copy->children));
	for (size_t i = 0; i < node->children_len; i++)
		copy->children[i] = copy_node(copying, node->children[i]);
	return copy;
}

struct conf_node *conf_copy(const struct conf_node *node, struct arena *arena)
{
	struct copying copying = { .arena = arena };

	return copy_node(&copying, node);
}
