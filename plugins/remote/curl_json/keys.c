/* SPDX-License-Identifier: MIT */
#include "keys.h"

#include <string.h>

#include <collector/kit/alloc.h>

static struct keys_node *find(struct keys_node *node, const char *name, size_t size)
{
	struct keys_node *child = node->children;

	while (child != NULL &&
	       (strlen(child->name) != size || memcmp(child->name, name, size) != 0))
		child = child->next;
	return child;
}

static struct keys_node *find_or_make(struct keys_node *node, const char *name, size_t size)
{
	struct keys_node *child = find(node, name, size);

	if (child != NULL)
		return child;
	child = mc_alloc_zero(sizeof(*child));
	child->name = mc_alloc_printf("%.*s", (int)size, name);
	child->next = node->children;
	node->children = child;
	return child;
}

bool keys_add(struct keys_node *root, const struct key *key)
{
	const char *at = key->path + (key->path[0] == '/');
	struct keys_node *node = root;

	for (;;) {
		size_t size = strcspn(at, "/");

		if (size == 0)
			return false;
		node = find_or_make(node, at, size);
		if (at[size] == '\0')
			break;
		at += size + 1;
	}
	if (node->key != NULL)
		return false;
	node->key = key;
	return true;
}

const struct keys_node *keys_child(const struct keys_node *node, const char *name, size_t size)
{
	const struct keys_node *any = NULL;

	for (const struct keys_node *child = node->children; child != NULL; child = child->next) {
		if (strlen(child->name) == size && memcmp(child->name, name, size) == 0)
			return child;
		if (strcmp(child->name, "*") == 0)
			any = child;
	}
	return any;
}

/* As deep as the longest path has parts. */
void keys_done(struct keys_node *root)
{
	struct keys_node *child = root->children;

	while (child != NULL) {
		struct keys_node *next = child->next;

		keys_done(child);
		free(child->name);
		free(child);
		child = next;
	}
	root->children = NULL;
}
