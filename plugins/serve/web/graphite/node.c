/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", aliasByNode and groupByNodes. */
#include "node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

void node_add(struct mc_buffer *out, const char *path, size_t size, int number)
{
	const char *end = path + size;
	int len = 1;

	for (const char *at = path; at < end; at++)
		len += *at == '.';
	if (number < 0)
		number += len;
	if (number < 0 || number >= len)
		return;
	for (; number > 0; number--)
		path = (const char *)memchr(path, '.', (size_t)(end - path)) + 1;
	size = (size_t)(end - path);
	if (memchr(path, '.', size) != NULL)
		size = (size_t)((const char *)memchr(path, '.', size) - path);
	mc_buffer_add(out, path, size);
}

/* The path of a name: of a call, that of its first argument. */
static char *path_of(const char *name)
{
	size_t size = strlen(name);
	const char *why, *path = NULL;
	struct expression *expression = NULL;
	char *copy;

	if (size > 0 && name[size - 1] == ')') {
		expression = expression_parse(name, &why);
		path = expression_first_path(expression);
	}
	copy = mc_alloc_copy(path != NULL ? path : name);
	expression_free(expression);
	return copy;
}

char *node_key(const struct call *call, unsigned first, const struct curve *curve)
{
	struct mc_buffer key = { 0 };
	char *path = path_of(curve->name);

	mc_buffer_add(&key, "", 0);
	for (unsigned i = first; i < call->len; i++) {
		const struct argument *argument = &call->arguments[i];
		const char *tag;

		if (argument->expression == NULL)
			break;
		if (i > first)
			mc_buffer_add(&key, ".", 1);
		if (!isnan(argument->number)) {
			node_add(&key, path, strcspn(path, ";"), (int)argument->number);
		} else {
			tag = curve_tag(curve, argument->text, strlen(argument->text));
			mc_buffer_add(&key, tag != NULL ? tag : "", tag != NULL ? strlen(tag) : 0);
		}
	}
	free(path);
	return key.at;
}

/* --- Groups -------------------------------------------------------------- */

struct curve **node_find(const struct node_groups *groups, const char *key)
{
	for (unsigned i = 0; i < groups->len; i++)
		if (strcmp(groups->keys[i], key) == 0)
			return &groups->lists[i];
	return NULL;
}

static void add(struct node_groups *groups, char *key, struct curve *curve)
{
	struct curve **list = node_find(groups, key);

	if (list != NULL) {
		free(key);
		while (*list != NULL)
			list = &(*list)->next;
		*list = curve;
		return;
	}
	if (groups->len == groups->room) {
		groups->room = groups->room > 0 ? 2 * groups->room : 16;
		groups->keys = mc_alloc_resize(groups->keys, groups->room, sizeof(char *));
		groups->lists =
			mc_alloc_resize(groups->lists, groups->room, sizeof(struct curve *));
	}
	groups->keys[groups->len] = key;
	groups->lists[groups->len++] = curve;
}

void node_group(struct node_groups *groups, struct curve *curves,
		char *(*key)(const struct call *, const struct curve *), const struct call *call)
{
	struct curve *next;

	*groups = (struct node_groups){ .len = 0 };
	for (; curves != NULL; curves = next) {
		next = curves->next;
		curves->next = NULL;
		add(groups, key(call, curves), curves);
	}
}

void node_groups_done(struct node_groups *groups)
{
	for (unsigned i = 0; i < groups->len; i++) {
		free(groups->keys[i]);
		curve_free(groups->lists[i]);
	}
	free(groups->keys);
	free(groups->lists);
	*groups = (struct node_groups){ .len = 0 };
}
